// The encoders by name: one line each.
#include "mcns/encoders/registry.h"

namespace mcns {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<BlockEncoder> (*make)(Spec&, const EncoderContext&);  ///< null: lookup
  const char* help;
  std::vector<ParameterInfo> parameters;
};

const std::vector<Entry>& entries() {
  static const std::vector<ParameterInfo> convolution = {
      {"hidden", "dim", "width of the layers between"},
      {"input", "dim", "width of the input vectors, free or made from features"},
      {"normalize", "false", "scale the output to length 1"},
      {"length", "0",
       "scale the output to this length, so that scores are cosines times its "
       "square; 0 leaves it as it is"},
      {"start", "linear", "of the weights: glorot, or linear (mirrored around each ReLU)"},
      {"residual", "false", "a layer adds its input to its output"}};
  const auto with = [](std::vector<ParameterInfo> first) {
    first.insert(first.end(), convolution.begin(), convolution.end());
    return first;
  };
  static const std::vector<Entry> all = {
      {"lookup", nullptr, "a vector a node, or a node and a context vector", {}},
      {"gcn", make_gcn, "graph convolutions, symmetric normalisation with self loops",
       with({{"layers", "2", "convolutions"},
             {"fanout", "all",
              "neighbours drawn, a layer each from the inputs on: 25/10, or all"}})},
      {"graphsage", make_graphsage, "self and mean of drawn neighbours, concatenated",
       with({{"fanout", "25/10",
              "neighbours drawn, a layer each from the inputs on; 0 takes all"}})},
      {"lightgcn",
       make_lightgcn,
       "mean of propagated free vectors, no weights",
       {{"layers", "3", "propagations"}}},
  };
  return all;
}

}  // namespace

std::unique_ptr<BlockEncoder> make_block_encoder(const std::string& text,
                                                 const EncoderContext& context) {
  Spec spec = Spec::parse(text);
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (spec.name() == entry.name && entry.make != nullptr) return entry.make(spec, context);
    known.emplace_back(entry.name);
  }
  throw_unknown("encoder", spec.name(), known);
}

std::vector<ComponentInfo> list_encoders() {
  std::vector<ComponentInfo> out;
  for (const Entry& entry : entries()) out.push_back({entry.name, entry.help, entry.parameters});
  return out;
}

bool is_lookup(const std::string& text) {
  Spec spec = Spec::parse(text);
  if (spec.name() != "lookup") return false;
  spec.finish();
  return true;
}

}  // namespace mcns

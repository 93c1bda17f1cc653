#include "mcns/encoders/conv_options.h"

#include <charconv>

#include "mcns/core/error.h"

namespace mcns {
namespace {

constexpr EdgeId kExactArcs = 1'000'000;

/// `25/10`: a number for each layer; `all` or 0 takes all neighbours.
std::vector<int> parse_fanouts(const std::string& text) {
  std::vector<int> out;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const auto slash = rest.find('/');
    const std::string_view item = rest.substr(0, slash);
    int value = 0;
    if (item != "all") {
      const auto [end, code] = std::from_chars(item.data(), item.data() + item.size(), value);
      require(code == std::errc() && end == item.data() + item.size() && value >= 0,
              "fanout '{}': expected a number or `all` for each layer, as in 25/10", text);
    }
    out.push_back(value);
    more = slash != std::string_view::npos;
    if (more) rest = rest.substr(slash + 1);
  }
  require(out.size() <= 16, "fanout '{}': at most 16 layers", text);
  return out;
}

void read_widths(Spec& spec, int dim, ConvOptions& options) {
  options.hidden = static_cast<int>(spec.integer("hidden", dim, 1, 65536));
  options.input = static_cast<int>(spec.integer("input", dim, 1, 65536));
  const bool normalize = spec.flag("normalize", false);
  options.length = static_cast<float>(spec.number("length", normalize ? 1 : 0, 0, 1e6));
  options.start = spec.choice("start", "linear", {"glorot", "linear"}) == "linear"
                      ? WeightStart::kLinear
                      : WeightStart::kGlorot;
  options.residual = spec.flag("residual", false);
  require(!options.residual || (options.hidden == dim && options.input == dim),
          "{}: residual adds a layer's input to its output, so input and hidden must be --dim, {}; "
          "got {} and {}",
          spec.name(), dim, options.input, options.hidden);
}

}  // namespace

ConvOptions read_gcn(Spec& spec, int dim, EdgeId arcs) {
  ConvOptions options;
  options.weighting = Weighting::kSelfLoops;
  const auto layers = static_cast<std::size_t>(spec.integer("layers", 2, 1, 16));
  // All neighbours while the whole graph is a cheap receptive field; beyond, GraphSAGE's numbers.
  const std::string fanout =
      spec.string("fanout", arcs <= kExactArcs || layers != 2 ? "all" : "25/10");
  options.fanouts = parse_fanouts(fanout);
  if (options.fanouts.size() == 1) options.fanouts.resize(layers, options.fanouts[0]);
  require(options.fanouts.size() == layers, "gcn: {} layers but {} fanouts", layers,
          options.fanouts.size());
  read_widths(spec, dim, options);
  spec.finish();
  return options;
}

ConvOptions read_graphsage(Spec& spec, int dim) {
  ConvOptions options;
  options.weighting = Weighting::kMean;
  options.self_weights = true;
  options.fanouts = parse_fanouts(spec.string("fanout", "25/10"));
  read_widths(spec, dim, options);
  spec.finish();
  return options;
}

}  // namespace mcns

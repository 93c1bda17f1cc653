#include "mcns/encoders/conv_options.h"

#include <charconv>

#include "mcns/core/error.h"

namespace mcns {
namespace {

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

void read_widths(const Parameters& p, int dim, ConvOptions& options) {
  options.hidden = p.small("hidden");
  options.input = p.small("input");
  options.length = static_cast<float>(p.number("length"));
  options.start = p.text("start") == "linear" ? WeightStart::kLinear : WeightStart::kGlorot;
  options.residual = p.flag("residual");
  require(!options.residual || (options.hidden == dim && options.input == dim),
          "residual adds a layer's input to its output, so input and hidden must be --dim, {}; got "
          "{} and {}",
          dim, options.input, options.hidden);
}

/// The parameters that both have, after their own.
std::vector<ParameterInfo> with_widths(std::vector<ParameterInfo> own) {
  const std::vector<ParameterInfo> shared = {
      integer_parameter("hidden", "dim", {1, 65536}, "width of the layers between"),
      integer_parameter("input", "dim", {1, 65536},
                        "width of the input vectors, free or made from features"),
      number_parameter("length", "0", {0, 1e6},
                       "scale the output to this length, so that scores are cosines times its "
                       "square; 0 leaves it as it is"),
      choice_parameter("start", {"glorot", "linear"}, "linear",
                       "of the weights: glorot, or linear (mirrored around each ReLU)"),
      flag_parameter("residual", false, "a layer adds its input to its output")};
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

}  // namespace

std::vector<ParameterInfo> gcn_parameters() {
  // All neighbours while the whole graph is a cheap receptive field; beyond, GraphSAGE's numbers.
  return with_widths({integer_parameter("layers", "2", {1, 16}, "convolutions"),
                      text_parameter("fanout", "all",
                                     "neighbours drawn, a layer each from the inputs on: 25/10, or "
                                     "all")
                          .when("arcs>1000000 layers=2", "25/10")});
}

ConvOptions read_gcn(const Parameters& p, int dim) {
  ConvOptions options;
  options.weighting = Weighting::kSelfLoops;
  const auto layers = static_cast<std::size_t>(p.integer("layers"));
  options.fanouts = parse_fanouts(p.text("fanout"));
  if (options.fanouts.size() == 1) options.fanouts.resize(layers, options.fanouts[0]);
  require(options.fanouts.size() == layers, "gcn: {} layers but {} fanouts", layers,
          options.fanouts.size());
  read_widths(p, dim, options);
  return options;
}

std::vector<ParameterInfo> graphsage_parameters() {
  return with_widths({text_parameter("fanout", "25/10",
                                     "neighbours drawn, a layer each from the inputs on; 0 takes "
                                     "all")});
}

ConvOptions read_graphsage(const Parameters& p, int dim) {
  ConvOptions options;
  options.weighting = Weighting::kMean;
  options.self_weights = true;
  options.fanouts = parse_fanouts(p.text("fanout"));
  read_widths(p, dim, options);
  return options;
}

}  // namespace mcns

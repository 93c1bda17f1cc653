#include "mcns/encoders/conv_options.h"

#include <charconv>

#include "mcns/core/error.h"

namespace mcns {

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
  options.normalize = spec.flag("normalize", false);
  options.start = spec.choice("start", "linear", {"glorot", "linear"}) == "linear"
                      ? WeightStart::kLinear
                      : WeightStart::kGlorot;
}

}  // namespace mcns

#include "mcns/samplers/self_contrast.h"

#include <utility>
#include <vector>

namespace mcns {
namespace {

void quantile_distribution(const SelfContrast& target, std::span<const float> scores,
                           std::span<double> probabilities) {
  std::vector<std::pair<float, std::int32_t>> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = {scores[i], static_cast<std::int32_t>(i)};
  std::sort(order.begin(), order.end());
  const auto n = static_cast<double>(scores.size());
  double below = 0;
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && order[last].first == order[first].first) ++last;
    const double reached = target.quantile_power(static_cast<double>(last) / n);
    const double share = (reached - below) / static_cast<double>(last - first);
    for (std::size_t i = first; i < last; ++i) probabilities[order[i].second] = share;
    below = reached;
    first = last;
  }
}

}  // namespace

std::vector<ParameterInfo> form_parameters(const std::string& default_form) {
  return {choice_parameter("form", {"paper", "exp", "quantile"}, default_form,
                           "target: paper max(s, floor)^alpha, exp(alpha/(1-alpha) s), or quantile "
                           "F(s)^(M-1)"),
          // exp: alpha = 1 would make the exponent infinite.
          number_parameter("alpha", "0.5", {0, 0.999}, "paper and exp: p_n ~ p_d^alpha")
              .when("form=paper", "0.25")
              .tuned({0.1, 0.9}, Scale::kLinear, "form=paper")
              .tuned({0.1, 0.9}, Scale::kLinear, "form=exp shared=false"),
          number_parameter("floor", "0.001", {1e-30, 1e30}, "paper: smaller scores count as this")};
}

SelfContrast read_form(const Parameters& parameters) {
  SelfContrast target;
  const std::string& form = parameters.text("form");
  target.form = form == "paper" ? Form::kPaper : form == "exp" ? Form::kExp : Form::kQuantile;
  target.alpha = parameters.number("alpha");
  target.floor = parameters.number("floor");
  return target;
}

void self_contrast_distribution(const SelfContrast& target, std::span<const float> scores,
                                std::span<double> probabilities) {
  if (target.form == Form::kQuantile) return quantile_distribution(target, scores, probabilities);
  // Both forms grow with the score: the best one keeps the exponentials in range.
  const double top = target.log_weight(*std::max_element(scores.begin(), scores.end()));
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    total += probabilities[i] = std::exp(target.log_weight(scores[i]) - top);
  for (double& p : probabilities) p /= total;
}

}  // namespace mcns

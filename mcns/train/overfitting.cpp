#include "mcns/train/overfitting.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/ranges.h>

namespace mcns {
namespace {

constexpr double kErrors = 2, kShare = 0.03;  // a fall must exceed both
constexpr std::ptrdiff_t kLasting = 2;        // evaluations at the end that must all be low

bool is_valid_l2(double value) {
  bool valid = false;
  TrainOptions options;
  for_each_option(options, [&](const auto&, const OptionInfo& info) {
    if (info.name == "l2") valid = info.low <= value && value <= info.high;
  });
  return valid;
}

/// A stronger penalty; where there was none, that of most defaults.
void advise_l2(double l2, std::vector<std::string>& out) {
  if (l2 == 0) out.emplace_back("--l2 0.01 (it was 0)");
  if (l2 == 0 || !is_valid_l2(4 * l2)) return;
  out.push_back(fmt::format("--l2 {:.4g} or {:.4g} (it was {:.4g})", 2 * l2, 4 * l2, l2));
}

}  // namespace

std::optional<Overfitting> find_overfitting(const ValidationCurve& curve) {
  const auto& points = curve.points;
  const auto best = std::ranges::find(points, curve.best_epoch, &ValidationPoint::epoch);
  if (points.end() - best <= kLasting) return std::nullopt;
  const double limit =
      best->value - std::max(kErrors * curve.standard_error, kShare * std::fabs(best->value));
  const auto is_low = [&](const ValidationPoint& point) { return point.value < limit; };
  if (!std::all_of(points.end() - kLasting, points.end(), is_low)) return std::nullopt;
  return Overfitting{best->epoch, points.back().epoch, curve.planned, best->value,
                     points.back().value};
}

std::string overfitting_remark(const Overfitting& found, std::string_view metric,
                               const TrainOptions& options) {
  std::vector<std::string> advice;
  if (*options.similarity == "cosine")  // of one length: the temperature says how sharp scores are
    advice.push_back(fmt::format("--temperature {:.2g} (it was {:.2g})", 1.5 * *options.temperature,
                                 *options.temperature));
  else
    advise_l2(*options.l2, advice);
  advice.push_back(fmt::format("--epochs {}", found.best_epoch));
  advice.emplace_back("--tune 20");
  return fmt::format(
      "overfitting: validation {} was best at epoch {} of {} and fell by {:.1f} % until epoch {}; "
      "the model is that of epoch {}; try {}",
      metric, found.best_epoch, found.planned, 100 * found.fall(), found.last_epoch,
      found.best_epoch, fmt::join(advice, ", or "));
}

}  // namespace mcns

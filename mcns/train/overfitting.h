// Overfitting: validation that was best in an early epoch and was clearly worse from then to the
// end of training. The model is that of the best epoch, so the run is sound; it could have been
// better.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/plan/options.h"

namespace mcns {

/// The metric by which epochs are chosen, higher is better, after an epoch.
struct ValidationPoint {
  std::int64_t epoch;
  double value;
};

struct Overfitting {
  std::int64_t best_epoch, last_epoch;
  std::int64_t planned;  ///< epochs that were asked for
  double best, last;     ///< values in these epochs
  double fall() const { return (best - last) / best; }
};

/// What validation showed in the course of a run.
struct ValidationCurve {
  std::vector<ValidationPoint> points;  ///< in order of epochs
  std::int64_t best_epoch = 0;          ///< whose model was kept; one of the points
  double standard_error = 0;            ///< of a value; 0 where it is not known
  std::int64_t planned = 0;
};

/// Nothing, unless the last two evaluations came after the best epoch and both are below its value
/// by more than two standard errors and by more than 3 %.
std::optional<Overfitting> find_overfitting(const ValidationCurve& curve);

/// One line for users: what happened, and what to try under these settings.
std::string overfitting_remark(const Overfitting& found, std::string_view metric,
                               const TrainOptions& options);

}  // namespace mcns

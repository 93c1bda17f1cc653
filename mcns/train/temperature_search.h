// The default temperature of cosine scores, found on validation. The best one depends on the data
// more than on their sizes: package dependencies want 0.1 where shopping baskets of as many links
// want 0.2. Which of two is better shows after few epochs, if the short run anneals as a whole one
// does, and shows more surely after more epochs with narrower vectors, which cost the same: trials of
// half the dimension and a fifth of the epochs (64 dimensions at least, ten epochs at most) go up or
// down a ladder from what the sizes suggest, as long as validation gets better.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mcns/train/prepared.h"

namespace mcns {

/// The steps of the ladder that were tried and how good they were, and the best of them.
struct Climb {
  std::vector<std::pair<int, double>> tried;
  int best = 0;
};
/// From `start` down while the value grows; where it does not, up. Nothing where `value` gives
/// nothing: interrupted.
std::optional<Climb> climb(int steps, int start,
                           const std::function<std::optional<double>(int)>& value);

struct FoundTemperature {
  std::string value;        ///< empty: interrupted
  std::string remark = {};  ///< "temperature 0.2: valid mrr 0.094 after 8 epochs with 64 dimensions, 0.14 has ..."
  double seconds = 0;       ///< of training
};
/// A run that is resumed takes the one of its checkpoint. Nothing where there is nothing to find:
/// the temperature was given or tuned, scores are no cosines, there are no validation pairs,
/// training goes on from a model, or is too short for it.
std::optional<FoundTemperature> find_temperature(const PreparedExperiment& prepared,
                                                 ThreadPool& pool,
                                                 const std::atomic<bool>* interrupted);

}  // namespace mcns

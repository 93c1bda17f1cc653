// Which settings a search may change, and the settings that it tries.
//
// Open is what has a description of how it is tuned (core/component.h) and was not given by the
// user. Setting 0 is the defaults, as a run finds them. Setting i > 0 goes through the open ones in
// the order in which they are resolved; each sees the plan with what was chosen before it, so that
// conditions and defaults follow. Where in its range a value lies comes from Halton's sequence in
// base 2, 3, 5, ..., one for each open setting, with its digits permuted by the seed: 20 settings
// cover every range evenly, which independent draws would not.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mcns/train/experiment.h"

namespace mcns {

/// Point `index` of the sequence for one dimension (0, 1, ...), in [0, 1).
double scrambled_halton(std::uint64_t seed, int dimension, std::uint64_t index);

/// An open setting as it is without any choice made.
struct Dimension {
  std::string name;  ///< `lr`, `sampler.hardness`
  std::string value;
  double low = 0, high = 0;  ///< of a range
  Scale scale = Scale::kLinear;
  std::vector<std::string> values;  ///< in place of a range

  /// "0.01 to 0.25, log" or "dot, cosine"
  std::string range_text() const;
};

class SearchSpace {
 public:
  /// Both must outlive the space.
  SearchSpace(const Experiment& experiment, const Graph& graph)
      : experiment_(experiment), graph_(graph) {}

  /// Choices may open more.
  std::vector<Dimension> dimensions() const;

  /// What setting `index` changes. Depends on the seed and the index alone, not on how many are
  /// tried. A value that does not fit what the user gave is left at its default.
  TunedSettings setting(int index) const;

  /// The plan of a run with these changes, of its own number of epochs where none is given. Throws
  /// where they contradict each other.
  Plan plan(const TunedSettings& changes, std::optional<int> epochs = {}) const;

 private:
  using Choose = std::function<std::optional<std::string>(int position, const Dimension&,
                                                          const ParameterInfo&)>;
  Plan plan_of(const TrainOptions& options, const TunedSettings& changes) const;
  void visit(TunedSettings& chosen, const Choose& choose) const;

  const Experiment& experiment_;
  const Graph& graph_;
};

}  // namespace mcns

// Successive halving: many settings for few epochs, the best of them for more.
//
//   rung 1   all settings                     a tenth of the epochs
//   rung 2   the best fifth, at least two     a third
//   rung 3   the best two, and setting 0      all
//
// Rung 2 is left out where a tenth, at least one epoch, is a fifth or more of all.
//
// Setting 0, the defaults, is always among the last: what is found is no worse than it on the
// pairs that decide. 20 settings cost at most as much as 8 full runs from 4 epochs on, 6.4 of many
// epochs. A rung trains from the start
// and anneals over its own epochs: a short run that ends cold ranks settings better than the hot
// start of a long one. It knows nothing of training, so that it can be tested with a function.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace mcns {

struct Rung {
  int number = 1, of = 3;
  int epochs = 0;             ///< of a setting that has as many in all as setting 0
  std::vector<int> settings;  ///< in increasing order
};

/// Value of each setting of the rung, higher is better, NaN where it failed; nothing where the
/// search is to stop.
using RunRung = std::function<std::optional<std::vector<double>>(const Rung&)>;

struct HalvingResult {
  struct Done {
    Rung rung;
    std::vector<double> values;
  };
  bool finished = false;
  int best = 0;  ///< of the last rung; the lower number of equally good ones
  std::vector<Done> rungs;
};

/// `settings` and `epochs` are at least 1. A rung with as many epochs as the one before takes its
/// values from there.
HalvingResult successive_halving(int settings, int epochs, const RunRung& run);

}  // namespace mcns

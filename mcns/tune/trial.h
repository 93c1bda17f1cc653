// One setting of a search, trained for some epochs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mcns/plan/resolve.h"

namespace mcns {

struct Trial {
  int setting = 0, epochs = 0;
  TunedSettings changes;         ///< to the defaults
  std::optional<double> value;   ///< the best on validation; none where it failed
  std::string error;             ///< why
  std::int64_t best_epoch = 0;   ///< the one that early stopping would keep
  std::int64_t epochs_done = 0;  ///< fewer than `epochs` where it stopped early
  double seconds = 0;
  bool from_before = false;  ///< found in the log
};

}  // namespace mcns

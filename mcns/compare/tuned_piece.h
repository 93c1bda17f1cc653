// A search for settings as a piece of stored work (record_store.h).
#pragma once

#include <atomic>
#include <string>

#include "mcns/compare/record_store.h"
#include "mcns/tune/tune.h"

namespace mcns {

struct TunedPiece {
  TunedSettings tuned;
  std::string metric;
  double value = 0;  ///< on validation
  int trials = 0;
  double seconds = 0;
};

/// Settings of the experiment that are good on its validation pairs; `settings` are tried. `plan`
/// is its plan digest, or empty where the data are not here. Finished trials lie in a folder beside
/// the file until the search is finished, so that one that was killed goes on.
Piece tuned_piece(const RecordStore& store, const std::string& file, Experiment experiment,
                  const std::string& plan, int settings, const TuneHooks& hooks);
/// Throws Error(kData) for another text.
TunedPiece parse_tuned(const std::string& text, const std::string& path);

}  // namespace mcns

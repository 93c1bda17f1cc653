// Resume state on disk: named records under a checksum, written atomically, the previous one kept.
//
// The folder holds state.bin and, once there were two, previous.bin. A new state is written and
// synced under another name while state.bin becomes previous.bin, so at every moment one of them is
// whole.
#pragma once

#include <functional>
#include <string>

#include "mcns/core/archive.h"

namespace mcns {

/// Visits the state to save or to load; must do the same in both directions.
using VisitState = std::function<void(Archive&)>;

/// The state as bytes under a checksum, and back. `what` is for messages.
std::string state_to_bytes(const VisitState& visit);
void state_from_bytes(const std::string& bytes, const VisitState& visit,
                      const std::string& what = "the saved state");

/// `settings` (any text) says which run the state belongs to.
void save_checkpoint(const std::string& folder, const std::string& settings,
                     const VisitState& visit);

/// The settings stored in the newest whole state; empty if there is none.
std::string checkpoint_settings(const std::string& folder);

/// Loads the newest whole state. False if the folder holds none; a damaged state with no whole one
/// beside it is an Error of kind kData.
bool load_checkpoint(const std::string& folder, const VisitState& visit);

}  // namespace mcns

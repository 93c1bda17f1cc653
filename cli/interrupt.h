// Ctrl-C and its kin: long work stops at its next safe place.
#pragma once

#include <atomic>

namespace mcns::cli {

/// Exit code of work that was interrupted.
inline constexpr int kInterrupted = 130;

/// From now on SIGINT, SIGTERM and SIGHUP set the flag that is returned, and do nothing else.
const std::atomic<bool>& interrupted_by_signal();

}  // namespace mcns::cli

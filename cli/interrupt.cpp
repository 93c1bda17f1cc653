#include "cli/interrupt.h"

#include <csignal>

namespace mcns::cli {
namespace {

std::atomic<bool> g_interrupted{false};

extern "C" void on_signal(int) { g_interrupted.store(true); }

}  // namespace

// The handlers stay, so that a second signal does not end a process that is saving.
const std::atomic<bool>& interrupted_by_signal() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  // nohup has it ignored, which must stay so.
  if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) std::signal(SIGHUP, on_signal);
  return g_interrupted;
}

}  // namespace mcns::cli

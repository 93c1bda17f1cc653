// Progress of a search for settings on stderr, and its result as a table.
#pragma once

#include <string>

#include "mcns/tune/tune.h"

#include "cli/command.h"
#include "cli/terminal.h"

namespace mcns::cli {

/// A line per rung; of its trials a bar on a terminal, and a line for each elsewhere.
class TuneProgress final : public TuneObserver {
 public:
  void rung_begins(const Rung& rung) override;
  void progressed(double share) override;
  void trial_done(const Trial& trial) override;
  /// Before anything else is printed.
  void clear() { line_.clear(); }

 private:
  StatusLine line_;
  Rung rung_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point start_;
};

/// Hooks that show progress unless `quiet`, and stop at signals.
TuneHooks tune_hooks(TuneProgress& progress, const Common& common);

/// Every setting with its values, the best one marked. Of many only those that went on.
void print_tuning(const TuneResult& result);

/// "lr 0.03, sampler.hardness 12; validation mrr 0.1312, with the defaults 0.1250"
std::string tuned_text(const TuneResult& result);

/// The flags of the parsed command as one would type them, but for those named in `without`.
std::string typed_flags(const CLI::App& command, const std::set<std::string>& without);

}  // namespace mcns::cli

// Progress on stderr: on a terminal one line with bar, rate, loss and time left that is updated in
// place, and a line per epoch; elsewhere a line per epoch only. No line is wider than the terminal.
#pragma once

#include <chrono>
#include <string>

#include "mcns/train/trainer.h"

#include "cli/terminal.h"

namespace mcns::cli {

class Progress final : public Observer {
 public:
  explicit Progress(std::int64_t epochs);
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override;
  void epoch_done(const EpochRecord& record) override;

 private:
  std::string judge(const EpochRecord& record);

  std::int64_t epochs_;
  StatusLine line_;
  std::chrono::steady_clock::time_point start_;
  double done_at_start_ = -1;
  std::int64_t best_epoch_ = 0;  ///< 0: none was seen
  double best_ = 0;              ///< the first validation figure there
};

/// "1:05" or "2:00:30"
std::string clock_time(double seconds);

/// The validation figure of an epoch in a few words, e.g. "mrr 0.1312".
std::string brief(const Metrics& metrics);

}  // namespace mcns::cli

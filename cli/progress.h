// Progress on stderr: a bar with rate, loss and time left on a terminal, one line per epoch
// otherwise.
#pragma once

#include <chrono>
#include <string>

#include "mcns/train/trainer.h"

namespace mcns::cli {

class Progress final : public Observer {
 public:
  explicit Progress(std::int64_t epochs);
  ~Progress() override;
  void batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                  const StepTotals& totals) override;
  void epoch_done(const EpochRecord& record) override;

 private:
  void clear();

  std::int64_t epochs_;
  bool terminal_, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  double done_at_start_ = -1;
};

/// The validation figure of an epoch in a few words, e.g. "mrr 0.1312".
std::string brief(const Metrics& metrics);

}  // namespace mcns::cli

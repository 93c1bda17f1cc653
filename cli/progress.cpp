#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>

namespace mcns::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

}  // namespace

std::string clock_time(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string brief(const Metrics& metrics) {
  return metrics.empty() ? "" : fmt::format("{} {:.4f}", metrics[0].name, metrics[0].value);
}

Progress::Progress(std::int64_t epochs)
    : epochs_(epochs), start_(std::chrono::steady_clock::now()) {}

void Progress::batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                          const StepTotals& totals) {
  if (!line_.interactive() || !line_.is_due()) return;
  const double done = (static_cast<double>(epoch) + static_cast<double>(batch) / batches) / epochs_;
  if (done_at_start_ < 0) done_at_start_ = done;
  const double progressed = done - done_at_start_;
  const std::string left =
      progressed > 0 ? clock_time(seconds_since(start_) * (1 - done) / progressed) : "?";
  const double rate = totals.seconds > 0 ? static_cast<double>(totals.pairs) / totals.seconds : 0;
  const double loss = totals.pairs > 0 ? totals.loss / static_cast<double>(totals.pairs) : 0;
  // The higher the number, the earlier a part goes where there is no room.
  line_.draw({{fmt::format("epoch {:>3}/{}", epoch + 1, epochs_), 2},
              {"", 5, Terminal::kCyan, done},
              {fmt::format("{:5.1f}%", 100 * done), 0},
              {fmt::format("{:.2f} M pairs/s", rate / 1e6), 4},
              {fmt::format("loss {:.4f}", loss), 3},
              {left + " left", 1}});
}

void Progress::epoch_done(const EpochRecord& record) {
  const bool terminal = line_.interactive();
  line_.clear();
  std::string text = fmt::format("epoch {:>3}/{}  loss {:.4f}  {:.1f} s", record.epoch, epochs_,
                                 record.loss, record.seconds);
  if (!record.valid.empty()) text += "  valid " + brief(record.valid);
  const std::string verdict = judge(record);
  if (terminal) text = shortened(text, line_.terminal().width() - screen_width(verdict));
  const auto colour = record.best ? Terminal::kGreen : Terminal::kYellow;
  put_stderr(text + line_.terminal().coloured(verdict, colour) + "\n");
}

/// Whether the epoch is the best one so far, or else how far below it.
std::string Progress::judge(const EpochRecord& record) {
  if (record.valid.empty()) return "";
  const double value = record.valid[0].value;
  if (record.best) {
    best_epoch_ = record.epoch;
    best_ = value;
    return "  best";
  }
  if (best_epoch_ == 0 || !(value < best_)) return "";
  return fmt::format("  {:.1f} % below epoch {}", 100 * (best_ - value) / best_, best_epoch_);
}

}  // namespace mcns::cli

#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace mcns::cli {
namespace {

std::string clock_time(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string bar(double share) {
  constexpr int kWidth = 24;
  const int full = static_cast<int>(share * kWidth);
  std::string out;
  for (int i = 0; i < kWidth; ++i) out += i < full ? "━" : "─";
  return out;
}

double seconds_since(std::chrono::steady_clock::time_point t) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

}  // namespace

std::string brief(const Metrics& metrics) {
  return metrics.empty() ? "" : fmt::format("{} {:.4f}", metrics[0].name, metrics[0].value);
}

Progress::Progress(std::int64_t epochs)
    : epochs_(epochs),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::batch_done(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                          const StepTotals& totals) {
  if (!terminal_ || seconds_since(last_) < 0.1) return;
  last_ = std::chrono::steady_clock::now();
  const double done = (static_cast<double>(epoch) + static_cast<double>(batch) / batches) / epochs_;
  if (done_at_start_ < 0) done_at_start_ = done;
  const double progressed = done - done_at_start_;
  const std::string left =
      progressed > 0 ? clock_time(seconds_since(start_) * (1 - done) / progressed) : "?";
  const double rate = totals.seconds > 0 ? static_cast<double>(totals.pairs) / totals.seconds : 0;
  const double loss = totals.pairs > 0 ? totals.loss / static_cast<double>(totals.pairs) : 0;
  fmt::print(stderr, "\r\033[Kepoch {:>3}/{} {} {:5.1f}%  {:.2f} M pairs/s  loss {:.4f}  {} left",
             epoch + 1, epochs_, bar(done), 100 * done, rate / 1e6, loss, left);
  drawn_ = true;
}

void Progress::epoch_done(const EpochRecord& record) {
  clear();
  const std::string valid = record.valid.empty() ? "" : "  valid " + brief(record.valid);
  fmt::print(stderr, "epoch {:>3}/{}  loss {:.4f}  {:.1f} s{}{}\n", record.epoch, epochs_,
             record.loss, record.seconds, valid, record.best ? "  best" : "");
}

}  // namespace mcns::cli

// Preloaded into a program (LD_PRELOAD): steps of the wall clock. Every so many calls it jumps by
// up to a day, forwards or backwards; MCNS_CLOCK_STEPS seeds the jumps. The monotonic clock goes on.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<std::uint64_t> g_calls{0};

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// Seconds that the wall clock is off by now.
std::int64_t offset() {
  static const std::uint64_t seed = [] {
    const char* text = std::getenv("MCNS_CLOCK_STEPS");
    return text == nullptr ? std::uint64_t{0} : std::strtoull(text, nullptr, 10);
  }();
  constexpr std::int64_t kDay = 86400;
  const std::uint64_t step = g_calls.fetch_add(1, std::memory_order_relaxed) / 3;
  return static_cast<std::int64_t>(mixed(seed * 1000003 + step) % (2 * kDay)) - kDay;
}

bool is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* out) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, out));
  if (result == 0 && is_wall(clock)) out->tv_sec += offset();
  return result;
}

int gettimeofday(timeval* out, void*) noexcept {
  timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) noexcept {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != nullptr) *out = now.tv_sec;
  return now.tv_sec;
}
}

#include "mcns/system/process_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

namespace mcns {

namespace {

struct Sizes {
  std::uint64_t addressed = 0, resident = 0;
};

Sizes sizes_now() {
  Sizes out;
  std::ifstream("/proc/self/statm") >> out.addressed >> out.resident;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {out.addressed * page, out.resident * page};
}

/// The number in a file; the largest of all where there is none ("max", or no such file).
std::uint64_t limit_in(const char* path) {
  std::uint64_t value = 0;
  return std::ifstream(path) >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::uint64_t resident_bytes() { return sizes_now().resident; }

std::uint64_t usable_bytes() {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t most = std::min({machine, limit_in("/sys/fs/cgroup/memory.max"),
                                 limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    // Libraries are addressed and mostly not resident.
    const Sizes now = sizes_now();
    const std::uint64_t elsewhere = now.addressed - std::min(now.addressed, now.resident);
    most = std::min<std::uint64_t>(
        most, limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, elsewhere));
  }
  return most;
}

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace mcns

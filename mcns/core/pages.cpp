#include "mcns/core/pages.h"

#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace mcns {

void* allocate_rows(std::size_t bytes) {
  constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20, kLarge = 4 * kLargePage;
  const std::size_t unit = bytes >= kLarge ? kLargePage : kLine;
  const std::size_t whole = (bytes + unit - 1) / unit * unit;
  void* memory = std::aligned_alloc(unit, whole);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (unit == kLargePage) ::madvise(memory, whole, MADV_HUGEPAGE);  // a wish: failing is fine
#endif
  return memory;
}

void discard_pages(const void* begin, const void* end) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t from = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(end) / page * page;
  if (from < to) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace mcns

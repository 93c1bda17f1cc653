// Hints to the operating system about memory.
#pragma once

#include <cstddef>

namespace mcns {

/// For tables whose rows are visited at random: aligned to cache lines, and large ones on large
/// pages where the system has them, so that an address is found without a walk through page tables.
/// Throws std::bad_alloc; the owner calls std::free.
void* allocate_rows(std::size_t bytes);

/// Gives memory back before its owner goes: what is consumed front to back need not stay resident.
/// Lets go of the resident pages that lie wholly in [begin, end), a part of one mapping or of one
/// heap allocation. Mapped files are read again if touched; heap memory has lost what it held.
void discard_pages(const void* begin, const void* end);

}  // namespace mcns

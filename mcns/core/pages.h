// Giving memory back before its owner goes: what is consumed front to back need not stay resident.
#pragma once

namespace mcns {

/// Lets go of the resident pages that lie wholly in [begin, end), a part of one mapping or of one
/// heap allocation. Mapped files are read again if touched; heap memory has lost what it held.
void discard_pages(const void* begin, const void* end);

}  // namespace mcns

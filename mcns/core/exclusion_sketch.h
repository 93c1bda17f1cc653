// The set of targets that a source excludes, as bits among the words that all sources share
// (samplers/exclusion.h). One formula, for single questions and for the kernels that ask for many
// chains at once. Always inlined: each instruction set compiles a copy of its own.
#pragma once

#include <cstdint>

namespace mcns {

struct ExclusionSketch {
  std::uint32_t offset, multiplier, shift;

  struct Place {
    std::uint32_t word, bits;
  };

  /// One bit stands for one target; otherwise hashes of targets share bits.
  [[gnu::always_inline]] bool is_exact() const { return multiplier == 1; }

  /// A hash's upper bits choose the word and a bit of it, its lower ones another bit; without a
  /// hash these are the same bit. Targets count from 0.
  [[gnu::always_inline]] Place place(std::uint32_t target) const {
    const std::uint32_t product = target * multiplier, bit = product >> shift;
    return {offset + (bit >> 5), 1U << (bit & 31) | 1U << (product & 31)};
  }

  /// True for all targets that are excluded and, unless it is exact, for few others.
  [[gnu::always_inline]] bool may_exclude(const std::uint32_t* words, std::uint32_t target) const {
    const Place at = place(target);
    return (words[at.word] & at.bits) == at.bits;
  }
};

}  // namespace mcns

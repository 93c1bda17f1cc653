// The inner loops of reading integer edge lists: digits to ids, line ends, line counts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>

#include "mcns/core/types.h"

namespace mcns {

/// Digits at the start of eight bytes (first byte lowest), and their value, without a loop: digits
/// are moved to the high end behind zeros, then added up in pairs, fours and eights.
struct EightBytes {
  explicit EightBytes(const char* at) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    const std::uint64_t x = bytes ^ 0x3030303030303030;  // digits become 0..9
    const std::uint64_t others = (x | (x + 0x7676767676767676)) & 0x8080808080808080;
    digits = others == 0 ? 8 : std::countr_zero(others) / 8;
    const std::uint64_t moved = digits == 0 ? 0 : x << (64 - 8 * digits);
    const std::uint64_t pairs = (moved * 10 + (moved >> 8)) & 0x00ff00ff00ff00ff;
    const std::uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffff;
    value = static_cast<std::uint32_t>(fours * 10000 + (fours >> 32));
  }
  int digits;
  std::uint32_t value;
};

/// Reads a plain integer below 2^31 at `at` and moves behind it; false if there is none. The text
/// goes up to `end` and ends in a newline, so digits do too.
inline bool take_id(const char*& at, const char* end, NodeId& id) {
  if (end - at >= 8) {
    const EightBytes head(at);
    if (head.digits > 0 && head.digits < 8 && (*at != '0' || head.digits == 1)) {
      id = static_cast<NodeId>(head.value);
      at += head.digits;
      return true;
    }
  }
  const char* p = at;
  std::uint64_t value = 0;
  for (; static_cast<unsigned char>(*p - '0') < 10; ++p) {
    value = value * 10 + static_cast<unsigned char>(*p - '0');
    if (p - at == 10) return false;
  }
  if (p == at || (*at == '0' && p - at > 1) || value > std::numeric_limits<NodeId>::max())
    return false;
  id = static_cast<NodeId>(value);
  at = p;
  return true;
}

inline bool take_line_end(const char*& at) {
  const char* p = at + (*at == '\r' ? 1 : 0);
  if (*p != '\n') return false;
  at = p + 1;
  return true;
}

/// Newlines, counted in bytes so that the loop becomes vector code (std::count widens each).
inline std::int64_t count_lines(std::string_view text) {
  constexpr std::size_t kLanes = 64, kRounds = 255;
  std::int64_t total = 0;
  while (text.size() >= kLanes) {
    std::array<std::uint8_t, kLanes> lanes{};
    const std::size_t rounds = std::min(text.size() / kLanes, kRounds);
    for (std::size_t r = 0; r < rounds; ++r)
      for (std::size_t k = 0; k < kLanes; ++k)
        lanes[k] = static_cast<std::uint8_t>(lanes[k] + (text[r * kLanes + k] == '\n'));
    total = std::accumulate(lanes.begin(), lanes.end(), total);
    text.remove_prefix(rounds * kLanes);
  }
  return total + std::count(text.begin(), text.end(), '\n');
}

}  // namespace mcns

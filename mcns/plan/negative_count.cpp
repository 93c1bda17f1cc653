#include "mcns/plan/negative_count.h"

#include <charconv>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"

namespace mcns {
namespace {

constexpr std::string_view kShared = "shared:";
constexpr int kMostOfAPair = 4096, kMostShared = 1 << 20;

}  // namespace

std::string setting_text(NegativeCount negatives) {
  return (negatives.shared ? std::string(kShared) : "") + std::to_string(negatives.count);
}

void read_text(const std::string& text, NegativeCount& negatives) {
  negatives.shared = text.starts_with(kShared);
  const char* const begin = text.data() + (negatives.shared ? kShared.size() : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(begin, end, negatives.count);
  const int most = negatives.shared ? kMostShared : kMostOfAPair;
  require(code == std::errc() && stop == end && is_plain_integer({begin, end}) &&
              negatives.count >= 1 && negatives.count <= most,
          "--negatives must be a number from 1 to {} for each positive, or shared:N with N from 1 "
          "to {} for a pool that the batch shares, got '{}'",
          kMostOfAPair, kMostShared, text);
}

}  // namespace mcns

// How many negatives a positive gets, `3`, or how many all positives of a batch share,
// `shared:1024`.
#pragma once

#include <string>

namespace mcns {

struct NegativeCount {
  NegativeCount() = default;
  NegativeCount(int number, bool is_shared = false)  // NOLINT(implicit): `negatives = 3`
      : count(number), shared(is_shared) {}

  int count = 1;
  bool shared = false;  ///< a pool for the whole batch
};

std::string setting_text(NegativeCount negatives);
/// Throws a usage error that says what is valid.
void read_text(const std::string& text, NegativeCount& negatives);

}  // namespace mcns

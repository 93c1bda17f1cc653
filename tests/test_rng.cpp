// Golden values: the generator is part of every saved result, so it must not change by accident.
#include <gtest/gtest.h>

#include "mcns/core/rng.h"

namespace mcns {
namespace {

TEST(Rng, StreamsWithDifferentNamesDiffer) {
  Rng a(1, Domain::kTest, 0, 0), b(1, Domain::kTest, 0, 1), c(1, Domain::kTest, 1, 0),
      d(2, Domain::kTest, 0, 0);
  const auto first = a.next();
  EXPECT_NE(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

}  // namespace
}  // namespace mcns

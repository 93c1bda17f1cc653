// A set filled by many threads and read in ascending order.
#include <gtest/gtest.h>

#include "mcns/core/node_set.h"
#include "mcns/core/parallel.h"
#include "mcns/core/rng.h"

namespace mcns {
namespace {

std::vector<NodeId> drained(NodeSet& set) {
  std::vector<NodeId> out;
  set.drain([&](NodeId v) { out.push_back(v); });
  return out;
}

TEST(NodeSet, GivesEachMemberOnceAscendingAndIsEmptyThen) {
  ThreadPool pool(4);
  for (const int nodes : {1, 63, 64, 65, 5000}) {
    NodeSet set(nodes);
    std::vector<char> in(nodes);
    std::vector<NodeId> added;
    Rng rng(1, Domain::kTest, nodes);
    for (int i = 0; i < 2 * nodes; ++i) {
      added.push_back(static_cast<NodeId>(rng.below(nodes)));
      in[added.back()] = 1;
    }
    in.back() = 1;
    added.push_back(nodes - 1);
    pool.for_ranges(static_cast<std::int64_t>(added.size()), 3, [&](auto begin, auto end) {
      for (auto i = begin; i < end; ++i) set.add(added[i]);
    });
    std::vector<NodeId> expected;
    for (NodeId v = 0; v < nodes; ++v)
      if (in[v]) expected.push_back(v);
    EXPECT_EQ(drained(set), expected);
    EXPECT_TRUE(drained(set).empty());
  }
}

}  // namespace
}  // namespace mcns

// Training of graph neural encoders end to end: the same bits for any number of threads, for a run
// that was cut, and better than chance.
#include <cstring>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/train/trainer.h"

namespace mcns {
namespace {

/// Users like items of their own group: 240 users and 160 items in 8 groups.
Graph groups(ThreadPool& pool) {
  EdgeList edges;
  Rng rng(11, Domain::kTest);
  for (int e = 0; e < 4000; ++e) {
    const auto user = static_cast<NodeId>(rng.below(240));
    const auto item =
        static_cast<NodeId>(rng.below(10) == 0 ? rng.below(160) : rng.below(20) * 8 + user % 8);
    edges.pairs.push_back({user, 240 + item});
  }
  return build_graph(std::move(edges), 400, {GraphKind::kBipartite, 240}, pool);
}

TrainOptions options_of(const std::string& encoder) {
  TrainOptions options;
  options.encoder = encoder;
  options.sampler = "mcns";
  options.dim = 24;
  options.batch = 500;
  options.epochs = 3;
  return options;
}

Plan plan_of(const TrainOptions& options, const Graph& graph) {
  return make_plan(options, Task::kRecommend, graph);
}

std::vector<float> values(ConstMatrixRef table) {
  return {table.data, table.data + table.rows * table.stride};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const char* const kEncoders[] = {"gcn",
                                 "gcn:fanout=6/4,length=1",
                                 "graphsage",
                                 "graphsage:fanout=5/3/2",
                                 "gcn:residual=true",
                                 "lightgcn"};

TEST(GnnTraining, SameBitsForAnyNumberOfThreads) {
  for (const char* encoder : kEncoders)
    for (const char* score : {"cached", "fresh"}) {
      std::vector<float> first;
      for (const int threads : {1, 2, 3, 7}) {
        ThreadPool pool(threads);
        const Graph graph = groups(pool);
        TrainOptions options = options_of(encoder);
        options.sampler_view = score;
        Trainer trainer(plan_of(options, graph), 5, graph, nullptr, pool);
        ASSERT_TRUE(trainer.run({}));
        const auto table = values(trainer.model().node_table());
        if (threads == 1) first = table;
        ASSERT_TRUE(same_bits(first, table)) << encoder << " " << threads << " threads";
      }
    }
}

/// State in memory, in the order it is visited.
class MemoryArchive final : public Archive {
 public:
  bool loading = false;
  bool is_loading() const override { return loading; }

 protected:
  void fixed(std::string_view, void* data, std::size_t bytes) override {
    char* const at = static_cast<char*>(data);
    if (loading) {
      std::copy_n(bytes_.begin() + read_, bytes, at);
      read_ += static_cast<std::ptrdiff_t>(bytes);
    } else {
      bytes_.insert(bytes_.end(), at, at + bytes);
    }
  }

 private:
  std::vector<char> bytes_;
  std::ptrdiff_t read_ = 0;
};

/// Asks to stop after so many batches.
struct StopAfter final : Observer {
  explicit StopAfter(int batches) : left(batches) {}
  void batch_done(std::int64_t, std::int64_t, std::int64_t, const StepTotals&) override {
    if (--left == 0) stop = true;
  }
  int left;
  std::atomic<bool> stop{false};
};

TEST(GnnTraining, ContinuesWithTheSameBits) {
  ThreadPool pool(2);
  const Graph graph = groups(pool);
  for (const char* encoder : kEncoders)
    for (const int batches : {3, 8, 11}) {
      const TrainOptions options = options_of(encoder);
      Trainer whole(plan_of(options, graph), 5, graph, nullptr, pool);
      ASSERT_TRUE(whole.run({}));
      Trainer cut(plan_of(options, graph), 5, graph, nullptr, pool);
      StopAfter stop(batches);
      ASSERT_FALSE(cut.run({&stop, &stop.stop, {}, 0}));
      MemoryArchive archive;
      cut.visit_state(archive);
      Trainer rest(plan_of(options, graph), 5, graph, nullptr, pool);
      archive.loading = true;
      rest.visit_state(archive);
      ASSERT_TRUE(rest.run({}));
      EXPECT_TRUE(same_bits(values(whole.model().node_table()), values(rest.model().node_table())))
          << encoder << " cut after " << batches;
    }
}

TEST(GnnTraining, LearnsTheGroups) {
  ThreadPool pool(2);
  const Graph graph = groups(pool);
  for (const char* encoder : kEncoders) {
    TrainOptions options = options_of(encoder);
    options.epochs = 20;
    Trainer trainer(plan_of(options, graph), 5, graph, nullptr, pool);
    trainer.run({});
    const Scorer score = trainer.model().scorer();
    int right = 0, all = 0;
    Rng rng(1, Domain::kTest);
    for (NodeId u = 0; u < 240; ++u)
      for (int i = 0; i < 20; ++i) {
        const auto own = static_cast<NodeId>(240 + rng.below(20) * 8 + u % 8);
        const auto other =
            static_cast<NodeId>(240 + rng.below(20) * 8 + (u % 8 + 1 + rng.below(7)) % 8);
        right += score(u, own) > score(u, other);
        ++all;
      }
    EXPECT_GT(right, 0.9 * all) << encoder;
  }
}

TEST(GnnDefaults, BatchesGrowWithTheGraph) {
  ThreadPool pool(2);
  std::vector<int> batches;
  for (const NodeId users : {1000, 4000, 16000}) {
    EdgeList edges;
    Rng rng(1, Domain::kTest);
    for (NodeId u = 0; u < users; ++u)
      for (int i = 0; i < 256; ++i)
        edges.pairs.push_back({u, users + static_cast<NodeId>(rng.below(1U << 20))});
    const Graph graph =
        build_graph(std::move(edges), users + (1 << 20), {GraphKind::kBipartite, users}, pool);
    TrainOptions options;
    options.model = "graphsage";
    const Plan plan = plan_of(options, graph);
    batches.push_back(static_cast<int>(graph.num_edges() / *plan.options.batch));
  }
  EXPECT_EQ(batches, (std::vector<int>{100, 100, 100}));
}

}  // namespace
}  // namespace mcns

// Several processes that share a model, played by threads: each owns half of the rows, the others
// are poisoned, and rows and gradients go through a Comm. The bytes are those of one process.
#include <algorithm>
#include <barrier>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "mcns/losses/registry.h"
#include "mcns/optim/registry.h"
#include "mcns/positives/registry.h"
#include "mcns/train/step.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

/// Threads of one process that exchange bytes at a barrier.
class Group {
 public:
  explicit Group(int size) : size_(size), sent_(size), barrier_(size) {}

  class Member final : public Comm {
   public:
    Member(Group& group, int rank) : group_(group), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return group_.size_; }
    std::vector<Bytes> exchange(std::vector<Bytes> parts) override {
      group_.sent_[rank_] = std::move(parts);
      group_.barrier_.arrive_and_wait();
      std::vector<Bytes> received;
      for (const auto& from : group_.sent_) received.push_back(from[rank_]);
      group_.barrier_.arrive_and_wait();
      return received;
    }

   private:
    Group& group_;
    int rank_;
  };

 private:
  int size_;
  std::vector<std::vector<Comm::Bytes>> sent_;
  std::barrier<> barrier_;
};

struct Setting {
  std::string sampler, loss, optimizer;
  bool two_tables = true;
  float l2 = 0;
};

constexpr int kDim = 24, kNegatives = 3, kEpochs = 2;

/// What a process has after training: the rows that it owns; losses of the epochs.
struct Trained {
  Matrix parameters;
  std::vector<double> losses;
};

Trained train(const Graph& graph, const Setting& setting, Comm& comm, int threads = 1) {
  ThreadPool pool(threads);
  const Optimizer optimizer = make_optimizer(setting.optimizer);
  Lookup lookup(graph.num_nodes(), {kDim, setting.two_tables, 1.0}, slots_of(optimizer), 7);
  Matrix& parameters = lookup.parameters();
  for (std::int64_t row = 0; row < parameters.rows(); ++row)
    if (row % comm.size() != comm.rank())
      std::fill_n(parameters.row(row), parameters.stride(),
                  std::numeric_limits<float>::quiet_NaN());
  SamplerSession session(
      graph, {.sampler = setting.sampler, .negatives = kNegatives, .dim = kDim, .seed = 5}, pool);
  const auto step = make_batch_step(
      {session, make_loss(setting.loss, 0.2), optimizer, setting.l2, pool, comm}, lookup);
  const auto positives = make_positives("edges", {graph, 300, pool});
  Trained out;
  PairBuffer batch;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    StepTotals totals;
    for (std::int64_t b = 0; b < positives->batches_per_epoch(); ++b) {
      const BatchKey key{5, epoch, b};
      positives->fill(key, pool, batch);
      step->run(key, batch, 0.1F, totals);
    }
    out.losses.push_back(totals.loss);
  }
  out.parameters = parameters;
  return out;
}

std::vector<Trained> train_by(int ranks, const Graph& graph, const Setting& setting) {
  Group group(ranks);
  std::vector<Trained> out(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      Group::Member comm(group, rank);
      out[rank] = train(graph, setting, comm);
    });
  for (std::thread& thread : threads) thread.join();
  return out;
}

TEST(Ranks, GiveTheBytesOfOneProcess) {
  const Graph graph = random_graph(GraphKind::kUndirected, 120, 900, 3);
  for (const Setting& setting : {Setting{"rns", "bpr", "sgd"},
                                 {"degree", "logistic", "adagrad", true, 0.01F},
                                 {"rns", "softmax", "adam", false, 0.02F},
                                 {"rns", "hinge", "adagrad", false}}) {
    const Trained alone = train(graph, setting, one_process());
    for (const int ranks : {2, 3}) {
      const auto shared = train_by(ranks, graph, setting);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(shared[rank].losses, alone.losses) << setting.loss;
        for (std::int64_t row = rank; row < alone.parameters.rows(); row += ranks)
          for (int i = 0; i < kDim; ++i)
            ASSERT_EQ(shared[rank].parameters.row(row)[i], alone.parameters.row(row)[i])
                << setting.loss << ", " << ranks << " ranks, row " << row;
      }
    }
  }
}

/// Large tables for their batches: one process updates most target rows right after their pairs are
/// scored, on any number of threads; several processes update all rows last.
TEST(Ranks, GiveTheBytesOfOneProcessThatUpdatesLoneRowsEarly) {
  const Graph graph = random_graph(GraphKind::kUndirected, 3000, 2000, 3);
  for (const Setting& setting : {Setting{"rns", "logistic", "sgd", true, 0.01F},
                                 {"rns", "softmax", "adam", false, 0.02F},
                                 {"degree", "bpr", "adagrad", false}}) {
    const Trained alone = train(graph, setting, one_process());
    const Trained threaded = train(graph, setting, one_process(), 3);
    EXPECT_EQ(threaded.losses, alone.losses);
    EXPECT_TRUE(std::ranges::equal(threaded.parameters.flat(), alone.parameters.flat()))
        << setting.loss;
    const auto shared = train_by(2, graph, setting);
    for (std::int64_t row = 0; row < alone.parameters.rows(); ++row)
      for (int i = 0; i < kDim; ++i)
        ASSERT_EQ(shared[row % 2].parameters.row(row)[i], alone.parameters.row(row)[i])
            << setting.loss << ", row " << row;
  }
}

/// A row that another process owns is never read: it would poison what it meets.
TEST(Ranks, OwnRowsOnlyAreTouched) {
  const Graph graph = random_graph(GraphKind::kUndirected, 60, 300, 4);
  const auto shared = train_by(2, graph, {"rns", "bpr", "adagrad"});
  for (int rank = 0; rank < 2; ++rank)
    for (std::int64_t row = 0; row < shared[rank].parameters.rows(); ++row)
      EXPECT_EQ(std::isnan(shared[rank].parameters.row(row)[0]), row % 2 != rank) << row;
}

}  // namespace
}  // namespace mcns

// The seams of training: a step whose tables live elsewhere, and several trainers at once.
#include <thread>

#include <gtest/gtest.h>

#include "tests/graph_support.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

/// Keeps the parameters in an allocation of its own, as a device would. What the host holds between
/// calls is poisoned; it is copied there on demand.
class RemoteStep final : public Step {
 public:
  explicit RemoteStep(std::unique_ptr<Step> inner) : inner_(std::move(inner)) { take(); }

  void run(BatchKey key, const PairBatch& batch, float lr, StepTotals& totals) override {
    give();
    inner_->run(key, batch, lr, totals);
    take();
  }
  Encoder& host() override {
    give();
    return inner_->host();
  }
  void host_changed() override { take(); }
  void refresh() override {
    give();
    inner_->refresh();
    take();
  }
  bool is_finite() override {
    give();
    return inner_->is_finite();
  }
  void keep_best() override {
    give();
    inner_->keep_best();
  }
  void restore_best() override {
    inner_->restore_best();
    take();
  }
  void visit_state(Archive& archive) override {
    give();
    inner_->visit_state(archive);
    take();
  }

  static inline int copies = 0;

 private:
  void take() {
    remote_.clear();
    inner_->host().visit_parameters([&](const std::string&, Matrix& value) {
      remote_.push_back(value);
      std::fill(value.flat().begin(), value.flat().end(), std::numeric_limits<float>::quiet_NaN());
    });
  }
  void give() {
    ++copies;
    auto from = remote_.begin();
    inner_->host().visit_parameters([&](const std::string&, Matrix& value) { value = *from++; });
  }

  std::unique_ptr<Step> inner_;
  std::vector<Matrix> remote_;
};

TEST(Seams, TablesMayLiveElsewhere) {
  const Graph graph = random_graph(GraphKind::kUndirected, 60, 200, 4);
  for (const std::string encoder : {"lookup", "gcn", "graphsage", "lightgcn"})
    for (const std::string sampler : {"mcns", "rns", "kbgan"}) {
      ShortRun setup;
      setup.options.encoder = encoder;
      setup.options.sampler = sampler;
      setup.options.positives = "walks:walks=1,length=8,window=3";
      if (encoder != "lookup") setup.options.sampler_view = "fresh";
      ThreadPool pool(2);
      Trainer near(setup.plan(graph), 1, graph, nullptr, pool);
      near.run({});
      RemoteStep::copies = 0;
      Trainer far(setup.plan(graph), 1, graph, nullptr, pool, {.wrap_step = [](auto step) {
                    return std::make_unique<RemoteStep>(std::move(step));
                  }});
      far.run({});
      EXPECT_GT(RemoteStep::copies, 0);
      EXPECT_EQ(Tables(near.scores_view()), Tables(far.scores_view())) << encoder << " " << sampler;
    }
}

/// From several threads, on one graph and on several, with and without threads of their own. Run it
/// under the `tsan` preset too.
TEST(Seams, SeveralTrainersAtOnce) {
  const Graph one = random_graph(GraphKind::kUndirected, 60, 200, 4),
              other = random_graph(GraphKind::kBipartite, 80, 300, 5);
  const auto train = [&](int i) {
    ShortRun setup;
    setup.options.sampler = i % 2 == 0 ? "mcns" : "kbgan";
    setup.threads = 1 + i % 3;
    setup.seed = 1 + i / 2;
    return setup.train(i < 3 ? one : other);
  };
  std::vector<std::optional<Tables>> together(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&, i] { together[i].emplace(train(i)); });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(*together[i], train(i)) << i;
}

}  // namespace
}  // namespace mcns

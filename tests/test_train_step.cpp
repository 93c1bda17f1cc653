// One batch against a slow, obvious version in double: frozen parameters, summed gradients, one
// optimizer step per touched row.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mcns/positives/registry.h"
#include "mcns/samplers/exclusion.h"
#include "mcns/samplers/registry.h"

#include "tests/train_support.h"

namespace mcns {
namespace {

using Vector = std::vector<double>;

/// Parameters, gradients and optimizer state by row, all in double.
class SlowModel {
 public:
  SlowModel(const ShortRun& setup, const Graph& graph)
      : setup_(setup),
        graph_(graph),
        plan_(setup.plan(graph)),
        options_(plan_.options),
        dim_(*options_.dim),
        offset_(*options_.tables == 2 ? graph.num_nodes() : 0) {
    // A trainer that has not run holds the first values.
    ThreadPool pool(1);
    const Trainer trainer(plan_, setup.seed, graph, nullptr, pool);
    const Tables first(trainer.scores_view());
    read(first.node, 0);
    if (offset_ > 0) read(first.context, offset_);
    first_moment_ = second_moment_ = std::vector<Vector>(rows_.size(), Vector(dim_));
  }

  /// One epoch that is one batch.
  void step(std::int64_t epoch) {
    ThreadPool pool(1);
    PairBuffer batch;
    const BatchKey key{setup_.seed, epoch, 0};
    const Exclusion exclusion(graph_, parse_filter(*options_.filter));
    const int k = options_.negatives->count;
    const auto sampler =
        make_sampler(*options_.sampler, {graph_, exclusion, dim_, k, setup_.seed, pool, nullptr});
    const bool by_source = sampler->can_share_source() && graph_.kind() == GraphKind::kUndirected;
    const auto positives = make_positives(*options_.positives, {graph_, 1 << 20, pool, by_source});
    positives->fill(key, pool, batch);
    PairSampling sampling(*sampler, k, graph_.num_nodes(), pool);
    const auto& windows = batch.windows.first_pair;
    const bool shared =
        !windows.empty() && (by_source || sampler->can_share(positives->pairs_per_window()));
    const ScoreFunction score = [&](NodeId u, const NodeId* v, int count, float* out) {
      for (int i = 0; i < count; ++i) out[i] = static_cast<float>(dot(u, v[i] + offset_));
    };
    Scorer scorer;
    scorer.function = &score;
    shared ? sampling.run_windows(key, batch, scorer) : sampling.run(key, batch, scorer);
    gradients_.clear();
    for (std::size_t i = 0, slot = 0; i < batch.pairs.size(); ++i) {
      // The pairs of a window share its negatives.
      if (!shared)
        slot = i;
      else if (std::int64_t(i) == windows[slot + 1])
        ++slot;
      std::vector<NodeId> targets = {batch.pairs[i].target};
      for (int j = 0; j < k; ++j) targets.push_back(sampling.negatives().ids[slot * k + j]);
      learn(batch.pairs[i].source, targets);
    }
    ++steps_;
    for (const auto& [row, gradient] : gradients_) update(row, gradient);
  }

  void expect_near(const Tables& got) const {
    compare(got.node, 0);
    if (offset_ > 0) compare(got.context, offset_);
  }

 private:
  void read(const std::vector<float>& table, NodeId first) {
    rows_.resize(first + table.size() / dim_);
    for (std::size_t i = 0; i < table.size(); ++i) rows_[first + i / dim_].push_back(table[i]);
  }

  void compare(const std::vector<float>& table, NodeId first) const {
    // Adam divides by the gradient's own size, so the rounding of a small one shows: 1 % of a step.
    const double tolerance = *options_.optimizer == "adam" ? 0.01 * *options_.lr : 2e-5;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const double expected = rows_[first + i / dim_][i % dim_];
      ASSERT_NEAR(table[i], expected, tolerance * (1 + std::fabs(expected))) << "row " << i / dim_;
    }
  }

  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  /// dL/ds of the positive, then of the negatives.
  Vector slopes(const Vector& s) const {
    Vector out(s.size());
    double total = 0;
    for (const double x : s) total += std::exp(x);
    if (*options_.loss == "logistic") out[0] = sigmoid(s[0] - *options_.margin) - 1;
    for (std::size_t j = 1; j < s.size(); ++j) {
      if (*options_.loss == "logistic") out[j] = sigmoid(s[j] - *options_.margin);
      if (*options_.loss == "softmax") out[j] = std::exp(s[j]) / total;
      if (*options_.loss == "bpr") out[j] = sigmoid(s[j] - s[0]);
      if (*options_.loss == "hinge") out[j] = s[j] - s[0] + *options_.margin > 0;
      if (*options_.loss != "logistic") out[0] -= out[j];
    }
    return out;
  }

  void add(NodeId row, double factor, const Vector& x) {
    auto& gradient = gradients_.try_emplace(row, Vector(dim_)).first->second;
    for (int d = 0; d < dim_; ++d) gradient[d] += factor * x[d];
  }

  double dot(NodeId a, NodeId b) const {
    double out = 0;
    for (int d = 0; d < dim_; ++d) out += rows_[a][d] * rows_[b][d];
    return out;
  }

  void learn(NodeId source, const std::vector<NodeId>& targets) {
    Vector s;
    for (const NodeId v : targets) s.push_back(dot(source, v + offset_));
    const Vector slope = slopes(s);
    add(source, *options_.l2, rows_[source]);
    for (std::size_t j = 0; j < targets.size(); ++j) {
      const NodeId row = targets[j] + offset_;
      add(source, slope[j], rows_[row]);
      add(row, slope[j], rows_[source]);
      add(row, *options_.l2, rows_[row]);
    }
  }

  void update(NodeId row, const Vector& g) {
    for (int d = 0; d < dim_; ++d) {
      double &w = rows_[row][d], &a = first_moment_[row][d], &b = second_moment_[row][d];
      const double lr = *options_.lr;
      if (*options_.optimizer == "sgd") w -= lr * g[d];
      if (*options_.optimizer == "adagrad") {
        a += g[d] * g[d];
        w -= lr * g[d] / (std::sqrt(a) + 1e-8);
      }
      if (*options_.optimizer == "adam") {
        a = 0.9 * a + 0.1 * g[d];
        b = 0.999 * b + 0.001 * g[d] * g[d];
        w -= lr * a / (1 - std::pow(0.9, steps_)) /
             (std::sqrt(b / (1 - std::pow(0.999, steps_))) + 1e-8);
      }
    }
  }

  const ShortRun& setup_;
  const Graph& graph_;
  Plan plan_;
  TrainOptions options_;
  int dim_;
  NodeId offset_;
  int steps_ = 0;
  std::vector<Vector> rows_, first_moment_, second_moment_;
  std::map<NodeId, Vector> gradients_;
};

void expect_reference(ShortRun setup, const Graph& graph, const std::string& what) {
  SCOPED_TRACE(what);
  setup.options.batch = 1 << 20;
  setup.options.epochs = 3;
  setup.options.init_scale = 1.0;  // so that scores matter
  setup.threads = 2;
  SlowModel slow(setup, graph);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) slow.step(epoch);
  slow.expect_near(setup.train(graph));
}

TEST(BatchStep, EqualsTheSlowVersionForEveryLossAndOptimizer) {
  const Graph graph = random_graph(GraphKind::kUndirected, 40, 120, 1);
  for (const std::string loss : {"bpr", "hinge", "logistic", "softmax"})
    for (const std::string optimizer : {"sgd", "adagrad", "adam"})
      for (const int tables : {1, 2}) {
        ShortRun setup;
        setup.options.loss = loss;
        setup.options.optimizer = optimizer;
        setup.options.tables = tables;
        setup.options.negatives = 3;
        if (loss == "logistic") setup.options.margin = 0.5;
        expect_reference(setup, graph, loss + ", " + optimizer + ", " + std::to_string(tables));
      }
}

TEST(BatchStep, EqualsTheSlowVersionOnEveryKindOfGraph) {
  const BuildOptions keep{.repeated = Repeated::kKeep, .self_loops = SelfLoops::kKeep};
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (const std::string filter : {"train", "none"})
      for (const double l2 : {0.0, 0.1})
        for (const bool kept : {false, true}) {
          ShortRun setup;
          setup.options.tables = 1;
          setup.options.filter = filter;
          setup.options.l2 = l2;
          setup.options.negatives = 1;
          expect_reference(setup, random_graph(kind, 30, 80, 2, kept ? keep : BuildOptions{}),
                           filter);
        }
}

TEST(BatchStep, EqualsTheSlowVersionForWalksAndDfs) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 60, 3);
  for (const std::string positives :
       {"walks:walks=1,length=5,window=2", "node2vec:walks=2,length=9,window=3", "dfs"})
    for (const std::string filter : {"train", "none"}) {
      ShortRun setup;
      setup.options.positives = positives;
      setup.options.filter = filter;
      expect_reference(setup, graph, positives + ", filter " + filter);
    }
}

/// Windows that share their negatives, on every kind of graph.
TEST(WindowStep, EqualsTheSlowVersionForEveryLossAndOptimizer) {
  for (const auto kind : {GraphKind::kUndirected, GraphKind::kDirected, GraphKind::kBipartite})
    for (const std::string loss : {"bpr", "hinge", "logistic", "softmax"})
      for (const std::string optimizer : {"sgd", "adagrad", "adam"})
        for (const int tables : {1, 2}) {
          if (tables == 2 && kind == GraphKind::kBipartite) continue;  // has one
          ShortRun setup;
          setup.options.positives = "walks:walks=2,length=8,window=3";
          setup.options.filter = "none";
          setup.options.loss = loss;
          setup.options.optimizer = optimizer;
          setup.options.tables = tables;
          setup.options.negatives = 5;
          setup.options.l2 = 0.01;
          setup.options.lr =
              0.01;  // a batch holds hundreds of pairs: larger steps blow up rounding
          if (loss == "logistic") setup.options.margin = 0.5;
          expect_reference(setup, random_graph(kind, 30, 70, 4),
                           loss + ", " + optimizer + ", " + std::to_string(tables));
        }
}

/// Windows of one source each, for samplers that look at it.
TEST(WindowStep, EqualsTheSlowVersionWhereTheMiddleIsTheSource) {
  const Graph graph = random_graph(GraphKind::kUndirected, 30, 70, 4);
  for (const std::string sampler : {"dns:candidates=3", "mcns:hardness=3,pool=16", "exact"})
    for (const std::string loss : {"bpr", "hinge", "logistic", "softmax"})
      for (const int tables : {1, 2}) {
        ShortRun setup;
        setup.options.positives = "walks:walks=2,length=8,window=3";
        setup.options.sampler = sampler;
        setup.options.loss = loss;
        setup.options.tables = tables;
        setup.options.negatives = 5;
        setup.options.optimizer = "sgd";
        setup.options.lr = 0.01;
        expect_reference(setup, graph, sampler + ", " + loss + ", " + std::to_string(tables));
      }
}

/// Hubs whose gradients are summed over more chunks than one, and wide vectors.
TEST(BatchStep, EqualsTheSlowVersionForHubsAndWideVectors) {
  std::vector<Pair> star;
  for (NodeId v = 1; v < 200; ++v) star.push_back({0, v});
  for (NodeId v = 1; v < 60; ++v) star.push_back({v, v + 30});
  for (const int dim : {3, 64, 1100}) {
    ShortRun setup;
    setup.options.dim = dim;
    setup.options.tables = 1;
    setup.options.optimizer = "sgd";
    expect_reference(setup, make_graph(star, 201), "dim " + std::to_string(dim));
  }
}

}  // namespace
}  // namespace mcns

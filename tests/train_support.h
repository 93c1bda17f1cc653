// Training in tests: options by name, a finished trainer's tables as bytes.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "mcns/plan/options.h"
#include "mcns/train/trainer.h"

#include "tests/graph_support.h"

namespace mcns {

/// Both tables of a model, without padding: two results are equal when their bits are.
struct Tables {
  std::vector<float> node, context;

  explicit Tables(const EmbeddingView& view)
      : node(copy(view.source)), context(copy(view.target)) {}

  friend bool operator==(const Tables& a, const Tables& b) {
    return same(a.node, b.node) && same(a.context, b.context);
  }

 private:
  static std::vector<float> copy(ConstMatrixRef table) {
    std::vector<float> out;
    for (std::int64_t v = 0; v < table.rows; ++v)
      out.insert(out.end(), table[v].begin(), table[v].end());
    return out;
  }
  static bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  }
};

/// Settings of a short run on a small graph, resolved.
struct ShortRun {
  TrainOptions options;
  std::uint64_t seed = 1;
  int threads = 1;

  ShortRun() {
    options.positives = "edges";
    options.sampler = "rns";
    options.loss = "bpr";
    options.optimizer = "adagrad";
    options.schedule = "constant";
    options.scores = "in-out";
    options.lr = 0.05;
    options.l2 = 0.01;
    options.dim = 20;
    options.negatives = 2;
    options.batch = 128;
    options.epochs = 2;
    options.patience = 0;
  }

  Plan plan(const Graph& graph) const { return make_plan(options, std::nullopt, graph); }

  Tables train(const Graph& graph) const {
    ThreadPool pool(threads);
    Trainer trainer(plan(graph), seed, graph, nullptr, pool);
    trainer.run({});
    return Tables(trainer.scores_view());
  }
};

}  // namespace mcns

#include "mcns/compare/baseline_runs.h"

#include "mcns/baselines/als.h"
#include "mcns/core/error.h"
#include "mcns/core/stopwatch.h"
#include "mcns/system/version.h"

namespace mcns {
namespace {

double selection(const Evaluator& evaluator, const Matrix& vectors, ThreadPool& pool) {
  return value_of(evaluator.evaluate({vectors.view(), vectors.view()}, pool),
                  evaluator.selection_metric());
}

/// The best of the grid on validation. The same for every seed: the search has its own.
AlsOptions choose_als(const Graph& graph, const Evaluator& valid, int dim, ThreadPool& pool) {
  AlsOptions best;
  double value = -1;
  for (const double unobserved : {0.03, 0.1, 0.3, 1.0})
    for (const double l2 : {0.003, 0.01, 0.03, 0.1}) {
      const AlsOptions options{dim, 10, unobserved, l2, 1};
      const double found = selection(valid, als_vectors(graph, options, pool), pool);
      if (found <= value) continue;
      value = found;
      best = options;
    }
  best.rounds = 15;
  return best;
}

}  // namespace

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"popularity", "als"};
  return names;
}

RunRecord run_baseline(const std::string& name, const PreparedExperiment& prepared,
                       std::uint64_t seed, ThreadPool& pool) {
  const ExperimentData& data = prepared.data;
  const Graph& graph = data.set.graph;
  require(prepared.experiment.task == Task::kRecommend && data.valid != nullptr,
          "--baselines are for --task recommend with validation pairs");
  RunRecord out;
  out.metric = std::string(data.valid->selection_metric());
  Matrix vectors;
  const Stopwatch watch;
  if (name == "popularity") {
    vectors = popularity_vectors(graph);
    out.seconds = watch.seconds();
  } else if (name == "als") {
    AlsOptions options = choose_als(graph, *data.valid, *prepared.plan.options.dim, pool);
    options.seed = seed;
    const double before = watch.seconds();
    vectors = als_vectors(graph, options, pool);
    out.seconds = watch.seconds() - before;
    out.epochs = out.best_epoch = options.rounds;
    out.settings = {{"dim", std::to_string(options.dim)},
                    {"rounds", std::to_string(options.rounds)},
                    {"unobserved", number_text(options.unobserved)},
                    {"l2", number_text(options.l2)},
                    {"seed", std::to_string(seed)}};
  } else {
    throw_unknown("baseline", name, baseline_names());
  }
  const EmbeddingView view{vectors.view(), vectors.view()};
  out.valid = data.valid->evaluate_fully(view, pool).metrics;
  Evaluation test = data.test->evaluate_fully(view, pool);
  out.test = std::move(test.metrics);
  out.users = std::move(test.by_user);
  out.version = version();
  out.cpu = cpu_name();
  out.threads = pool.threads();
  return out;
}

}  // namespace mcns

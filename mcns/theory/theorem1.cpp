// Theorem 1 through the trainer. Adam with a rate that falls to nothing averages the noise of the
// draws away; an epoch of a weighted graph draws as many arcs as there are, so it is one batch.
#include <algorithm>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/theory/regression.h"
#include "mcns/theory/theorems.h"
#include "mcns/train/trainer.h"

namespace mcns {
namespace {

Plan plan_of(const std::string& sampler, const Theorem1Options& options, const Graph& graph) {
  TrainOptions out;
  out.positives = "edges";
  out.sampler = sampler;
  out.loss = "logistic";
  out.margin = 0;
  out.optimizer = "adam";
  out.schedule = "linear";
  out.filter = "none";
  out.scores = "in-out";
  out.lr = options.lr;
  out.l2 = 0;
  out.dim = options.dim;
  out.tables = 2;
  out.init_scale = 1;
  out.negatives = options.negatives;
  out.batch = static_cast<int>(graph.num_arcs());
  out.epochs = options.epochs;
  out.patience = 0;
  return make_plan(out, std::nullopt, graph);
}

/// Both distributions of every pair, and the scores: [centre * n + context].
struct Pairs {
  NodeId nodes = 0;
  std::vector<double> centre;  ///< how often a centre is drawn
  std::vector<double> p_d, p_n;

  Pairs(const Graph& graph, const Trainer& trainer, bool adapts) : nodes(graph.num_nodes()) {
    double total = 0;
    for (NodeId v = 0; v < nodes; ++v) total += graph.weighted_degree(v);
    const Scorer scorer = trainer.model().scorer();
    for (NodeId v = 0; v < nodes; ++v) {
      const double weight = graph.weighted_degree(v);
      const auto weights = graph.weights(v);
      require(graph.degree(v) == nodes, "node {} has {} successors where the check needs all {}", v,
              graph.degree(v), nodes);
      centre.push_back(weight / total);
      for (NodeId u = 0; u < nodes; ++u) {
        p_d.push_back(weights[u] / weight);
        const auto log_q = trainer.sampler().log_q(v, u, scorer);
        require(
            log_q && log_q->exact && !adapts,
            "Theorem 1 needs a sampler whose distribution is known and does not depend on scores");
        p_n.push_back(std::exp(log_q->value));
      }
    }
  }

  std::vector<double> scores(const Trainer& trainer) const {
    const EmbeddingView view = trainer.scores_view();
    std::vector<double> out;
    for (NodeId v = 0; v < nodes; ++v)
      for (NodeId u = 0; u < nodes; ++u) {
        double dot = 0;
        for (std::size_t i = 0; i < view.source[v].size(); ++i)
          dot += static_cast<double>(view.source[v][i]) * view.target[u][i];
        out.push_back(dot);
      }
    return out;
  }

  /// Length of the gradient of the expected loss by the vectors of both tables.
  double gradient(const Trainer& trainer, int k) const {
    const EmbeddingView view = trainer.scores_view();
    const std::vector<double> s = scores(trainer);
    const std::size_t dim = view.source[0].size();
    std::vector<double> by_centre(nodes * dim), by_context(nodes * dim);
    for (NodeId v = 0; v < nodes; ++v)
      for (NodeId u = 0; u < nodes; ++u) {
        const std::size_t at = static_cast<std::size_t>(v) * nodes + u;
        const double sigma = 1 / (1 + std::exp(-s[at]));
        const double by_score = centre[v] * (p_d[at] * (sigma - 1) + k * p_n[at] * sigma);
        for (std::size_t i = 0; i < dim; ++i) {
          by_centre[v * dim + i] += by_score * view.target[u][i];
          by_context[u * dim + i] += by_score * view.source[v][i];
        }
      }
    double squares = 0;
    for (const double g : by_centre) squares += g * g;
    for (const double g : by_context) squares += g * g;
    return std::sqrt(squares);
  }
};

}  // namespace

Graph make_known_graph(NodeId nodes, std::uint64_t seed, ThreadPool& pool) {
  EdgeList edges;
  for (NodeId v = 0; v < nodes; ++v) {
    Rng rng(seed, Domain::kGenerate, static_cast<std::uint64_t>(v));
    std::vector<double> weights(nodes);
    double total = 0;
    for (double& w : weights) total += w = std::exp(0.7 * std::clamp(rng.normal(), -2.0, 2.0));
    // Centres differ by a factor of up to 3, so that the powers of degree are different
    // distributions.
    const double out = 1 + 2 * rng.uniform();
    for (NodeId u = 0; u < nodes; ++u) {
      edges.pairs.push_back({v, u});
      edges.weights.push_back(static_cast<float>(out * weights[u] / total));
    }
  }
  BuildOptions options;
  options.kind = GraphKind::kDirected;
  options.self_loops = SelfLoops::kKeep;
  return build_graph(std::move(edges), nodes, options, pool);
}

Theorem1Case check_theorem1(const Graph& graph, const std::string& sampler,
                            const Theorem1Options& options, std::uint64_t seed, ThreadPool& pool) {
  Trainer trainer(plan_of(sampler, options, graph), seed, graph, nullptr, pool);
  const int k = trainer.negatives_per_positive();
  const Pairs pairs(graph, trainer, builtin_samplers().find(sampler).adapts);
  const double before = pairs.gradient(trainer, k);
  trainer.run({});

  Theorem1Case out;
  out.sampler = sampler;
  out.dim = options.dim;
  out.gradient = pairs.gradient(trainer, k) / before;
  double rarest = 1;
  for (std::size_t i = 0; i < pairs.p_d.size(); ++i) {
    const double centre = pairs.centre[i / pairs.nodes];
    rarest = std::min({rarest, centre * pairs.p_d[i], centre * k * pairs.p_n[i]});
    out.optimum.push_back(-std::log(k * pairs.p_n[i] / pairs.p_d[i]));
  }
  out.expected_samples = rarest * static_cast<double>(trainer.totals().pairs);
  out.scores = pairs.scores(trainer);
  const Regression line = regress(out.optimum, out.scores);
  out.slope = line.slope;
  out.intercept = line.intercept;
  out.r = line.r;
  out.holds = out.slope >= 0.97 && out.slope <= 1.03 && out.r >= 0.99;
  return out;
}

}  // namespace mcns

#include "mcns/eval/links.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Scored {
  double score;
  bool edge, warm;
};

struct Classes {
  std::int64_t edges = 0, others = 0;
  bool both() const { return edges > 0 && others > 0; }
};

double dot(const float* a, const float* b, int dim) {
  double sum = 0;
  for (int k = 0; k < dim; ++k) sum += static_cast<double>(a[k]) * b[k];
  return sum;
}

/// Calls visit(edges, others) for each distinct score, highest first.
template <class Visit>
void for_tied(const std::vector<Scored>& sorted, bool warm_only, const Visit& visit) {
  for (std::size_t i = 0; i < sorted.size();) {
    const double score = sorted[i].score;
    Classes tied;
    for (; i < sorted.size() && sorted[i].score == score; ++i)
      if (sorted[i].warm || !warm_only) ++(sorted[i].edge ? tied.edges : tied.others);
    visit(tied);
  }
}

Classes totals(const std::vector<Scored>& sorted, bool warm_only) {
  Classes all;
  for (const Scored& pair : sorted)
    if (pair.warm || !warm_only) ++(pair.edge ? all.edges : all.others);
  return all;
}

double area_under_curve(const std::vector<Scored>& sorted, bool warm_only) {
  const Classes all = totals(sorted, warm_only);
  std::int64_t above = 0;
  double wins = 0;  // multiples of a half far below 2^52: exact
  for_tied(sorted, warm_only, [&](const Classes& tied) {
    wins += static_cast<double>(tied.others) * (above + 0.5 * tied.edges);
    above += tied.edges;
  });
  return wins / (static_cast<double>(all.edges) * all.others);
}

double average_precision(const std::vector<Scored>& sorted) {
  const Classes all = totals(sorted, false);
  Classes above;
  double sum = 0;
  for_tied(sorted, false, [&](const Classes& tied) {
    above.edges += tied.edges;
    above.others += tied.others;
    sum += static_cast<double>(tied.edges) * above.edges / (above.edges + above.others);
  });
  return sum / all.edges;
}

}  // namespace

LinkEvaluator::LinkEvaluator(const Graph& train, HeldOut held_out)
    : nodes_(train.num_nodes()), held_out_(std::move(held_out)) {
  // On directed graphs a node may have arcs that only its neighbours list.
  std::vector<std::uint8_t> has_edge(nodes_, 0);
  for (NodeId v = 0; v < nodes_; ++v)
    for (const NodeId neighbor : train.neighbors(v)) has_edge[v] = has_edge[neighbor] = 1;
  Classes all;
  require(held_out_.labels.size() == held_out_.pairs.size(),
          "link prediction needs a label per pair, got {} labels for {} pairs",
          held_out_.labels.size(), held_out_.pairs.size());
  for (std::size_t i = 0; i < held_out_.pairs.size(); ++i) {
    const auto [u, v] = held_out_.pairs[i];
    require(u >= 0 && u < nodes_ && v >= 0 && v < nodes_,
            "pair ({}, {}) is not of nodes in [0, {})", u, v, nodes_);
    warm_.push_back(has_edge[u] != 0 && has_edge[v] != 0 ? 1 : 0);
    ++(held_out_.labels[i] != 0 ? all.edges : all.others);
  }
  if (!all.both())
    throw_error(ErrorKind::kData,
                "link prediction needs pairs labelled 1 and pairs labelled 0, got {} and {}",
                all.edges, all.others);
  edges_ = static_cast<double>(all.edges);
  others_ = static_cast<double>(all.others);
}

double LinkEvaluator::standard_error(double auc) const {
  // Without any error among n pairs, the expected number may still be about one.
  const double a = std::min(auc, 1 - 1 / std::min(edges_, others_));
  const double q1 = a / (2 - a), q2 = 2 * a * a / (1 + a);
  const double variance =
      (a * (1 - a) + (edges_ - 1) * (q1 - a * a) + (others_ - 1) * (q2 - a * a)) /
      (edges_ * others_);
  return std::sqrt(std::max(0.0, variance));
}

Metrics LinkEvaluator::evaluate(const EmbeddingView& embeddings, ThreadPool& pool) const {
  require_rows(embeddings, nodes_);
  std::vector<Scored> scored(held_out_.pairs.size());
  const auto& source = embeddings.source;
  const auto& target = embeddings.target;
  pool.for_ranges(static_cast<std::int64_t>(scored.size()), 4096, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto [u, v] = held_out_.pairs[i];
      const bool warm = warm_[i] != 0;
      const double score = warm ? dot(source.row(u), target.row(v), source.dim) : 0.0;
      if (!std::isfinite(score))
        throw_error(ErrorKind::kRuntime, "the score of nodes {} and {} is not a finite number", u,
                    v);
      scored[i] = {score, held_out_.labels[i] != 0, warm};
    }
  });
  std::ranges::sort(scored, std::greater{}, &Scored::score);
  Metrics metrics = {{"auc", area_under_curve(scored, false)}, {"ap", average_precision(scored)}};
  if (totals(scored, true).both()) metrics.push_back({"auc_warm", area_under_curve(scored, true)});
  return metrics;
}

}  // namespace mcns

#include "mcns/samplers/static_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mcns {

std::vector<double> degree_weights(const Graph& graph, double power) {
  const NodeRange targets = graph.targets();
  std::vector<double> out(targets.size());
  for (NodeId v = targets.begin; v < targets.end; ++v) {
    double degree = graph.weighted_degree(v);
    if (power < 0) degree = std::max(degree, 1.0);
    out[v - targets.begin] = std::pow(degree, power);
  }
  return out;
}

StaticDistribution::StaticDistribution(const Exclusion& exclusion, std::vector<double> weights)
    : exclusion_(&exclusion), weights_(std::move(weights)) {
  total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (total_ <= 0) {
    weights_.assign(weights_.size(), 1.0);
    total_ = static_cast<double>(weights_.size());
  }
  table_ = AliasTable(weights_);
}

NodeId StaticDistribution::draw_from_complement(NodeId source, Rng& rng) const {
  const NodeRange targets = exclusion_->targets();
  const double total = allowed_weight(source);
  if (total <= 0) return exclusion_->draw_uniform(source, rng);
  double left = rng.uniform() * total;
  NodeId last = targets.begin;
  for (NodeId v = targets.begin; v < targets.end; ++v) {
    if (weight(v) <= 0 || exclusion_->excluded(source, v)) continue;
    last = v;
    if ((left -= weight(v)) < 0) break;
  }
  return last;
}

double StaticDistribution::allowed_weight(NodeId source) const {
  if (exclusion_->filter() == Filter::kNone) return total_;
  const NodeRange targets = exclusion_->targets();
  const Graph& graph = exclusion_->graph();
  double left = total_;
  NodeId previous = -1;
  for (const NodeId v : graph.neighbors(source)) {
    if (v != previous) left -= weight(v);
    previous = v;
  }
  if (targets.contains(source) && !graph.has_edge(source, source)) left -= weight(source);
  if (left > total_ / 2) return left;
  // Too little is left for a difference to be accurate.
  left = 0;
  for (NodeId v = targets.begin; v < targets.end; ++v)
    if (!exclusion_->excluded(source, v)) left += weight(v);
  return left;
}

LogProbability StaticDistribution::log_q(NodeId source, NodeId target) const {
  if (exclusion_->excluded(source, target)) return {-std::numeric_limits<double>::infinity(), true};
  const double total = allowed_weight(source);
  if (total <= 0) return {-std::log(exclusion_->allowed(source)), true};
  return {std::log(weight(target) / total), true};
}

}  // namespace mcns

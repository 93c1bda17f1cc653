#include "mcns/theory/mixing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mcns/core/arcs.h"
#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/rng.h"
#include "mcns/positives/depth_first.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

/// q(y|x) for a listed or an unlisted y.
double density(const ChainKernel::Near& near, double local, NodeId x, NodeId y) {
  const double uniform = (1 - local) / static_cast<double>(near.size());
  const auto& list = near[x];
  return std::ranges::count(list, y) > 0 ? uniform + local / static_cast<double>(list.size())
                                         : uniform;
}

/// Weights of a source's targets; 0 for training pairs where they are filtered, and for itself.
std::vector<double> weights_of(const FrozenModel& model, const MixingOptions& o, NodeId source) {
  const NodeRange targets = model.graph().targets();
  std::vector<NodeId> all(targets.size());
  std::iota(all.begin(), all.end(), targets.begin);
  std::vector<float> scores(all.size());
  model.scorer()(source, all.data(), static_cast<int>(all.size()), scores.data());
  std::vector<double> out(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool excluded = model.filter == Filter::kTrain &&
                          (all[i] == source || model.graph().has_edge(source, all[i]));
    out[i] = excluded ? 0 : std::exp(o.target.log_weight(scores[i]));
  }
  return out;
}

class Measurement {
 public:
  Measurement(const FrozenModel& model, const MixingOptions& options, ThreadPool& pool)
      : model_(model), options_(options), pool_(pool) {
    const Graph& graph = model.graph();
    ProposalOptions proposal;
    proposal.nearest = true;
    proposal.near = options.near;
    proposal.hops = options.hops;
    proposal.seed = options.seed;
    const Proposals proposals(proposal, graph, pool);
    for (NodeId v = graph.targets().begin; v < graph.targets().end; ++v) {
      near_.emplace_back();
      for (const NodeId y : proposals.near(v)) near_.back().push_back(y - graph.targets().begin);
    }
  }

  /// The mean distance after `steps` at each visit; the state goes from source to source, and
  /// begins anew after `length` of them. A chain that never does is measured once it has forgotten
  /// its start.
  double handed(const std::vector<NodeId>& sources, int steps, std::size_t length) const {
    std::vector<double> state = uniform();
    const std::size_t warm = length < sources.size() ? 0 : sources.size() / 6;
    double sum = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const ChainKernel kernel = kernel_of(sources[i]);
      state = kernel.handed_over(i % length == 0 ? uniform() : std::move(state));
      for (int t = 0; t < steps; ++t) state = kernel.step(state);
      if (i >= warm) sum += kernel.distance(state);
    }
    return sum / static_cast<double>(sources.size() - warm);
  }

  /// The mean distance of every source's own chain after so many steps in all.
  double own(const std::vector<NodeId>& sources, int steps) const {
    std::vector<double> found(sources.size());
    pool_.run(static_cast<std::int64_t>(sources.size()), [&](std::int64_t i) {
      const ChainKernel kernel = kernel_of(sources[i]);
      std::vector<double> state = kernel.handed_over(uniform());
      for (int t = 0; t < steps; ++t) state = kernel.step(state);
      found[i] = kernel.distance(state);
    });
    return std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size());
  }

 private:
  std::vector<double> uniform() const {
    return std::vector<double>(near_.size(), 1.0 / static_cast<double>(near_.size()));
  }
  ChainKernel kernel_of(NodeId source) const {
    return {weights_of(model_, options_, source), near_, options_.local};
  }

  const FrozenModel& model_;
  const MixingOptions& options_;
  ThreadPool& pool_;
  ChainKernel::Near near_;
};

}  // namespace

ChainKernel::ChainKernel(std::vector<double> weights, const Near& near, double local)
    : weights_(std::move(weights)), order_(weights_.size()), near_(near), local_(local) {
  const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) {
    weight /= sum;
    allowed_ += weight > 0;
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, {}, [&](NodeId y) { return weights_[y]; });
}

std::vector<double> ChainKernel::step(const std::vector<double>& state) const {
  const auto n = static_cast<NodeId>(weights_.size());
  const double uniform = (1 - local_) / n;
  std::vector<double> out = state;
  // Flow x -> y of unlisted pairs: uniform * state(x) * min(1, w(y) / w(x)).
  double below = 0;  // state of lighter ones
  for (const NodeId y : order_) {
    out[y] += uniform * below;
    below += state[y];
  }
  double above = 0;  // sum of state / weight of heavier ones
  NodeId heavier = 0;
  for (auto it = order_.rbegin(); it != order_.rend() && weights_[*it] > 0; ++it) {
    const NodeId y = *it;
    out[y] += uniform * weights_[y] * above;
    out[y] -= uniform * state[y] * heavier;
    above += state[y] / weights_[y];
    ++heavier;
  }
  double lighter = 0;  // weight of lighter ones
  for (const NodeId x : order_) {
    if (weights_[x] > 0) out[x] -= uniform * state[x] * lighter / weights_[x];
    lighter += weights_[x];
  }
  // Listed pairs: what they have in place of that, each pair once.
  const auto correct = [&](NodeId x, NodeId y) {
    if (state[x] <= 0 || weights_[y] <= 0) return;
    const double ratio = weights_[y] / weights_[x];
    const double flow =
        state[x] * (std::min(density(near_, local_, x, y), ratio * density(near_, local_, y, x)) -
                    uniform * std::min(1.0, ratio));
    out[x] -= flow;
    out[y] += flow;
  };
  for (NodeId x = 0; x < n; ++x)
    for (const NodeId y : near_[x]) {
      if (y == x || (y < x && std::ranges::count(near_[y], x) > 0)) continue;
      correct(x, y);
      correct(y, x);
    }
  return out;
}

std::vector<double> ChainKernel::handed_over(std::vector<double> state) const {
  double lost = 0;
  for (std::size_t y = 0; y < state.size(); ++y)
    if (weights_[y] == 0) lost += std::exchange(state[y], 0.0);
  for (std::size_t y = 0; y < state.size(); ++y)
    if (weights_[y] > 0) state[y] += lost / allowed_;
  return state;
}

double ChainKernel::distance(const std::vector<double>& state) const {
  double sum = 0;
  for (std::size_t y = 0; y < state.size(); ++y) sum += std::abs(state[y] - weights_[y]);
  return sum / 2;
}

std::vector<NodeId> visited_sources(const Graph& graph, const MixingOptions& o) {
  std::vector<NodeId> visits = depth_first_sequence(graph);
  std::erase_if(visits, [&](NodeId v) { return graph.degree(v) == 0; });
  const auto count = std::min(static_cast<std::size_t>(o.visits), visits.size());
  const std::size_t first = (visits.size() - count) / 2;
  const NeighborSampler neighbors(graph);
  std::vector<NodeId> out;
  for (std::size_t i = first; i < first + count; ++i) {
    Rng rng(o.seed, Domain::kPositives, i);
    const NodeId v = visits[i];
    out.push_back(graph.sources().contains(v) ? v : neighbors.draw(v, rng));
  }
  return out;
}

MixingOptions mixing_options(const FrozenModel& model) {
  const SamplerEntry& entry = builtin_samplers().find("mcns");
  const std::string name = component_name(model.sampler);
  require(name == "mcns", "mixing is measured of mcns, the model has '{}'", name);
  const Parameters p(resolve_parameters(entry, given_parameters(entry, model.sampler), {},
                                        graph_facts(model.graph())));
  require(p.text("form") == "paper" && p.text("proposal") == "nearest",
          "mixing is measured of mcns with form=paper and proposal=nearest, the model has {}",
          model.sampler);
  MixingOptions out;
  out.target = read_form(p);
  out.near = p.small("near");
  out.hops = p.small("hops");
  out.local = p.number("local");
  return out;
}

std::vector<MixingCurve> measure_mixing(const FrozenModel& model, const MixingOptions& options,
                                        ThreadPool& pool) {
  const Measurement measurement(model, options, pool);
  const std::vector<NodeId> depth_first = visited_sources(model.graph(), options);
  std::vector<NodeId> shuffled = depth_first;
  Rng rng(options.seed, Domain::kShuffle);
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[rng.below(i)]);
  std::vector<MixingCurve> out = {{"handed-dfs", {}},
                                  {"handed-random", {}},
                                  {"handed-32", {}},
                                  {"own-first", {}},
                                  {"own-tenth", {}}};
  for (auto& curve : out) curve.distances.resize(options.steps.size());
  // A handed chain goes step by step; the lengths of visits are independent of each other.
  pool.run(static_cast<std::int64_t>(3 * options.steps.size()), [&](std::int64_t piece) {
    const auto s = static_cast<std::size_t>(piece / 3);
    const bool random = piece % 3 == 1, short_ones = piece % 3 == 2;
    out[piece % 3].distances[s] =
        measurement.handed(random ? shuffled : depth_first, options.steps[s],
                           short_ones ? options.length : depth_first.size());
  });
  for (std::size_t s = 0; s < options.steps.size(); ++s) {
    out[3].distances[s] = measurement.own(depth_first, options.steps[s]);
    out[4].distances[s] = measurement.own(depth_first, 10 * options.steps[s]);
  }
  return out;
}

}  // namespace mcns

#include "mcns/theory/departure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/scalar_math.h"
#include "mcns/theory/regression.h"

namespace mcns {
namespace {

/// Sources that have training pairs and negatives, without replacement, ascending.
std::vector<NodeId> choose_sources(const Exclusion& exclusion, int most, std::uint64_t seed) {
  const Graph& graph = exclusion.graph();
  std::vector<NodeId> out;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    if (graph.degree(u) > 0 && exclusion.allowed(u) > 0) out.push_back(u);
  Rng rng(seed, Domain::kShuffle);
  const std::size_t count = std::min<std::size_t>(out.size(), most);
  for (std::size_t i = 0; i < count; ++i) std::swap(out[i], out[i + rng.below(out.size() - i)]);
  out.resize(count);
  std::ranges::sort(out);
  return out;
}

/// The band of each target, by its degree.
class Bands {
 public:
  Bands(const Graph& graph, int count)
      : begin_(graph.targets().begin), degrees_(target_degrees(graph)), bands_(count + 1) {
    const double most = *std::ranges::max_element(degrees_);
    for (const double degree : degrees_) {
      std::size_t band = 0;
      if (degree > 0) {
        const double part = most > 1 ? std::log(degree) / std::log(most) : 0;
        band = 1 + std::min<std::size_t>(count - 1, static_cast<std::size_t>(part * count));
      }
      of_target_.push_back(band);
      DegreeBand& out = bands_[band];
      const auto links = static_cast<EdgeId>(degree);
      out.low = out.targets == 0 ? links : std::min(out.low, links);
      out.high = std::max(out.high, links);
      ++out.targets;
    }
  }

  DegreeBand& of(NodeId target) { return bands_[of_target_[target - begin_]]; }

  /// Those that have targets.
  std::vector<DegreeBand> filled() const {
    std::vector<DegreeBand> out;
    for (const auto& band : bands_)
      if (band.targets > 0) out.push_back(band);
    return out;
  }

 private:
  NodeId begin_;
  std::vector<double> degrees_;
  std::vector<std::size_t> of_target_;
  std::vector<DegreeBand> bands_;
};

/// Positives are drawn in proportion to the weights of edges.
void add_positives_distribution(const Graph& graph, Bands& bands) {
  double total = 0;
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u)
    total += graph.weighted_degree(u);
  for (NodeId u = graph.sources().begin; u < graph.sources().end; ++u) {
    const auto neighbors = graph.neighbors(u);
    const auto weights = graph.weights(u);
    for (std::size_t i = 0; i < neighbors.size(); ++i)
      bands.of(neighbors[i]).p_d += (weights.empty() ? 1.0 : weights[i]) / total;
  }
}

void fit(Departure& out) {
  std::vector<double> x, y;
  const auto fits = [](const DegreeBand& band) { return band.p_d > 0 && band.p_n > 0; };
  for (const auto& band : out.bands) {
    if (!fits(band)) continue;
    x.push_back(std::log(band.mean_p_d()));
    y.push_back(std::log(band.mean_p_n()));
  }
  if (x.size() < 2) {
    out.alpha = out.log_factor = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Regression line = regress(x, y);
  out.alpha = line.slope;
  out.log_factor = line.intercept;
  for (auto& band : out.bands)
    if (fits(band))
      band.ratio =
          band.mean_p_n() / std::exp(line.intercept + line.slope * std::log(band.mean_p_d()));
}

}  // namespace

Departure measure_departure(const FrozenModel& model, const DepartureOptions& options,
                            std::uint64_t seed, ThreadPool& pool) {
  const Graph& graph = model.graph();
  const Scorer scorer = model.scorer();
  const Exclusion exclusion(graph, model.filter);
  const std::vector<NodeId> sources = choose_sources(exclusion, options.sources, seed);
  if (sources.empty())
    throw_error(ErrorKind::kData, "no source has both training edges and allowed negatives");
  SamplerSession session = make_frozen_session(model, seed, pool);

  Departure out;
  out.sampler = model.sampler;
  out.sources = static_cast<std::int64_t>(sources.size());
  Bands bands(graph, options.bands);
  add_positives_distribution(graph, bands);
  for (const NodeId u : sources)
    for (const NodeId v : graph.neighbors(u)) {
      DegreeBand& band = bands.of(v);
      ++band.positives, ++out.positives;
      band.positive_risk += softplus(-scorer(u, v));
    }
  double total = 0;
  const auto see = [&](const PairBatch& batch, std::size_t pairs, const Negatives& drawn) {
    for (std::size_t at = 0; at < pairs * drawn.k; ++at) {
      const std::size_t pair = at / drawn.k;
      const double weight = (drawn.weights.empty() ? 1.0 : drawn.weights[at]) *
                            (drawn.pair_weights.empty() ? 1.0 : drawn.pair_weights[pair]);
      if (weight == 0) continue;
      DegreeBand& band = bands.of(drawn.ids[at]);
      ++band.negatives, ++out.negatives;
      band.p_n += weight;
      total += weight;
      band.negative_risk += softplus(scorer(batch.pairs[pair].source, drawn.ids[at]));
    }
  };
  draw_frozen(session, model, {sources, options.rounds, seed}, see);
  out.bands = bands.filled();
  for (auto& band : out.bands) {
    band.p_n /= total;
    band.positive_risk /= static_cast<double>(std::max<std::int64_t>(1, band.positives));
    band.negative_risk /= static_cast<double>(std::max<std::int64_t>(1, band.negatives));
  }
  fit(out);
  return out;
}

}  // namespace mcns

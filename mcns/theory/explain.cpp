#include "mcns/theory/explain.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/theory/goodness_of_fit.h"

namespace mcns {
namespace {

using Draws = std::span<const WatchedDraw>;

/// What does not change while draws are looked at; by position in the allowed targets.
class Constants {
 public:
  Constants(const Watch& watch, const Graph& graph, const ExplainOptions& options)
      : allowed_(watch.allowed()), chain_(options.chain) {
    const std::vector<double> degrees = target_degrees(graph);
    for (const NodeId v : allowed_) degrees_.push_back(degrees[v - graph.targets().begin]);
    std::vector<double> sorted = degrees_;
    std::ranges::sort(sorted);
    for (const double degree : degrees_) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), degree);
      const auto middle = static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
      popularity_.push_back(middle / 2 / static_cast<double>(sorted.size()));
    }
    held_out_.resize(allowed_.size());
    for (const NodeId v : options.held_out.value_or(std::vector<NodeId>{}))
      if (std::ranges::binary_search(allowed_, v)) held_out_[position(v)] = true;
  }

  double popularity(NodeId v) const { return popularity_[position(v)]; }
  EdgeId degree(NodeId v) const { return std::llround(degrees_[position(v)]); }
  bool held_out(NodeId v) const { return held_out_[position(v)]; }
  std::int64_t held_out() const { return std::ranges::count(held_out_, true); }
  bool is_chain() const { return chain_; }

 private:
  std::size_t position(NodeId v) const {
    return std::ranges::lower_bound(allowed_, v) - allowed_.begin();
  }

  const std::vector<NodeId>& allowed_;
  bool chain_;
  std::vector<double> degrees_, popularity_;
  std::vector<bool> held_out_;
};

ChainFigures chain_figures(Draws draws) {
  ChainFigures out;
  std::vector<double> states;
  for (const auto& draw : draws) states.push_back(draw.quantile);
  const auto n = static_cast<double>(states.size());
  out.effective = n;
  constexpr std::size_t kFewest = 4;  // two batches of two: less has no variance of means
  if (states.size() < kFewest) return out;
  double mean = 0, squares = 0, products = 0;
  for (const double x : states) mean += x / n;
  for (std::size_t i = 0; i < states.size(); ++i) {
    squares += (states[i] - mean) * (states[i] - mean);
    if (i == 0) continue;
    products += (states[i] - mean) * (states[i - 1] - mean);
    out.moved += draws[i].negative != draws[i - 1].negative;
  }
  out.moved /= n - 1;
  out.autocorrelation = squares > 0 ? products / squares : 1;
  out.effective = squares > 0 ? effective_sample_size(states) : 1;
  return out;
}

ExplainBand summarise(Draws draws, const Constants& facts) {
  ExplainBand out;
  out.draws = static_cast<std::int64_t>(draws.size());
  std::vector<NodeId> nodes;
  double total = 0;
  for (const auto& draw : draws) {
    nodes.push_back(draw.negative);
    total += draw.weight;
    out.hardness += draw.weight * draw.quantile;
    out.above_90 += draw.weight * (draw.quantile > 0.9);
    out.above_99 += draw.weight * (draw.quantile > 0.99);
    out.popularity += draw.weight * facts.popularity(draw.negative);
    out.held_out += draw.weight * facts.held_out(draw.negative);
  }
  for (double* share :
       {&out.hardness, &out.above_90, &out.above_99, &out.popularity, &out.held_out})
    *share = total > 0 ? *share / total : 0;
  std::ranges::sort(nodes);
  out.distinct = std::unique(nodes.begin(), nodes.end()) - nodes.begin();
  if (facts.is_chain()) out.chain = chain_figures(draws);
  out.first_epoch = draws.front().epoch + 1;
  out.last_epoch = draws.back().epoch + 1;
  return out;
}

/// Bands of equally many epochs; those without any draw are left out.
std::vector<ExplainBand> cut(Draws draws, int most, const Constants& facts) {
  const std::int64_t begin = draws.front().epoch, epochs = draws.back().epoch + 1 - begin;
  const std::int64_t bands = std::min<std::int64_t>(most, epochs);
  std::vector<ExplainBand> out;
  std::size_t from = 0;
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t first = begin + epochs * band / bands;
    const std::int64_t end = begin + epochs * (band + 1) / bands;
    std::size_t to = from;
    while (to < draws.size() && draws[to].epoch < end) ++to;
    if (to > from) out.push_back(summarise(draws.subspan(from, to - from), facts));
    if (to > from) out.back().first_epoch = first + 1, out.back().last_epoch = end;
    from = to;
  }
  return out;
}

std::vector<TopNegative> most_drawn(Draws draws, int count, const Watch& watch,
                                    const Constants& facts) {
  std::map<NodeId, TopNegative> by_node;
  const auto allowed = static_cast<double>(watch.allowed().size());
  for (const auto& draw : draws) {
    const NodeId v = draw.negative;
    const TopNegative unseen{v, 0, 0, 0, facts.degree(v), facts.held_out(v)};
    auto& seen = by_node.try_emplace(v, unseen).first->second;
    ++seen.draws;
    seen.score = draw.score;
    seen.rank = allowed * (1 - draw.quantile) + 0.5;
  }
  std::vector<TopNegative> out;
  for (const auto& [v, seen] : by_node) out.push_back(seen);
  std::ranges::stable_sort(out, std::greater{}, &TopNegative::draws);
  out.resize(std::min<std::size_t>(out.size(), count));
  return out;
}

void fill_plots(Draws draws, const ExplainOptions& options, const Constants& facts,
                Explanation& out) {
  out.histogram.assign(options.bins, 0);
  double total = 0;
  for (const auto& draw : draws) {
    const int bin = std::min(options.bins - 1, static_cast<int>(draw.quantile * options.bins));
    out.histogram[bin] += draw.weight;
    total += draw.weight;
  }
  for (double& share : out.histogram) share = total > 0 ? share / total : 0;
  const std::size_t count = std::min<std::size_t>(draws.size(), options.points);
  for (std::size_t i = 0; i < count; ++i) {
    const WatchedDraw& draw = draws[draws.size() * i / count];
    out.points.push_back({facts.popularity(draw.negative), draw.quantile});
  }
}

}  // namespace

std::vector<NodeId> held_out_targets(const Graph& graph, NodeId source,
                                     const std::vector<const HeldOut*>& sets) {
  std::vector<NodeId> out;
  for (const HeldOut* set : sets)
    for (std::size_t i = 0; i < set->pairs.size(); ++i) {
      if (set->labels[i] == 0) continue;
      const auto [a, b] = set->pairs[i];
      if (a == source)
        out.push_back(b);
      else if (b == source && graph.kind() == GraphKind::kUndirected)
        out.push_back(a);
    }
  return out;
}

NodeId find_source(const Graph& graph, const Names& names, const std::string& name) {
  if (const auto row = names.find(name, graph.sources())) return *row;
  if (graph.is_bipartite() && names.find(name, graph.targets()))
    throw_error(ErrorKind::kUsage, "'{}' is an item; negatives are drawn for users", name);
  throw_error(ErrorKind::kUsage, "the data have no {} '{}'", graph.is_bipartite() ? "user" : "node",
              name);
}

void require_negatives(const Graph& graph, Filter filter, NodeId source, const std::string& name) {
  require(graph.degree(source) > 0,
          "'{}' has no training edges {}, so training draws no negatives for it", name,
          graph.is_directed() ? "that leave it" : "of its own");
  require(Exclusion(graph, filter).allowed(source) > 0,
          "'{}' is linked to every target, so it has no negatives; --filter none would allow some",
          name);
}

Explanation explain(const Watch& watch, const Graph& graph, const ExplainOptions& options) {
  const Draws draws = watch.draws();
  if (draws.empty()) throw_error(ErrorKind::kRuntime, "the node got no negatives in this run");
  const Constants facts(watch, graph, options);
  Explanation out;
  out.source = watch.source();
  out.degree = graph.degree(watch.source());
  out.allowed = static_cast<NodeId>(watch.allowed().size());
  out.sampler = options.sampler;
  out.weighted = std::ranges::any_of(draws, [](const auto& draw) { return draw.weight != 1; });
  if (options.held_out) out.held_out = facts.held_out();
  out.held_out_uniform = static_cast<double>(facts.held_out()) / out.allowed;
  out.all = summarise(draws, facts);
  out.bands = cut(draws, options.bands, facts);
  out.top = most_drawn(draws, options.top, watch, facts);
  fill_plots(draws, options, facts, out);
  return out;
}

}  // namespace mcns

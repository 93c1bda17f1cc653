#include "mcns/report/model_views.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include <fmt/format.h>

#include "mcns/core/rng.h"
#include "mcns/io/text_labels.h"
#include "mcns/model/frozen_model.h"
#include "mcns/model/scores.h"
#include "mcns/model/top_lists.h"
#include "mcns/report/embedding_map.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

/// Nodes of a range, highest degree first.
std::vector<NodeId> by_degree(const Graph& graph, NodeRange range, std::size_t most) {
  std::vector<NodeId> out;
  for (NodeId v = range.begin; v < range.end; ++v)
    if (graph.degree(v) > 0) out.push_back(v);
  const auto higher = [&](NodeId a, NodeId b) {
    return std::pair(-graph.degree(a), a) < std::pair(-graph.degree(b), b);
  };
  const std::size_t count = std::min(most, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count), out.end(),
                    higher);
  out.resize(count);
  return out;
}

/// Spread over the sources that have edges, evenly by degree.
std::vector<NodeId> spread_sources(const Graph& graph, NodeRange range, std::size_t count) {
  const auto all = by_degree(graph, range, static_cast<std::size_t>(range.size()));
  std::vector<NodeId> out;
  for (std::size_t i = 0; i < count && i < all.size(); ++i)
    out.push_back(all[i * all.size() / std::min(count, all.size())]);
  return out;
}

/// Places scores among those of allowed targets, or of a sample of them.
class Places {
 public:
  Places(const Graph& graph, const Scorer& scorer, Filter filter, NodeId source) {
    constexpr NodeId kMany = 4096;
    const NodeRange targets = graph.targets();
    Rng rng(1, Domain::kEvaluation, static_cast<std::uint64_t>(source));
    std::vector<NodeId> list;
    for (NodeId i = 0; i < std::min<NodeId>(kMany, targets.size()); ++i) {
      const NodeId v = targets.size() <= kMany
                           ? targets.begin + i
                           : targets.begin + static_cast<NodeId>(rng.below(targets.size()));
      if (v != source && (filter == Filter::kNone || !graph.has_edge(source, v))) list.push_back(v);
    }
    sorted_.resize(list.size());
    scorer(source, list.data(), static_cast<int>(list.size()), sorted_.data());
    std::ranges::sort(sorted_);
  }
  double quantile(float score) const {
    const auto [low, high] = std::equal_range(sorted_.begin(), sorted_.end(), score);
    const double middle =
        0.5 * static_cast<double>((low - sorted_.begin()) + (high - sorted_.begin()));
    return sorted_.empty() ? 0.5 : middle / static_cast<double>(sorted_.size());
  }

 private:
  std::vector<float> sorted_;
};

/// The label of each node that has one, where run.json tells of a label file that is still there.
std::map<NodeId, std::string> labels_of(const LoadedModel& model) {
  std::map<NodeId, std::string> out;
  const auto run = nlohmann::json::parse(model.run_json, nullptr, false);
  const auto pointer = nlohmann::json::json_pointer("/data/labels/path");
  if (!run.is_object() || !run.contains(pointer)) return out;
  std::unordered_map<std::string, NodeId> rows;
  for (NodeId v = 0; v < model.graph.num_nodes(); ++v) rows.emplace(model.names.name(v), v);
  try {
    for (const NamedLabel& line : read_labels(run[pointer]))
      if (const auto found = rows.find(line.node); found != rows.end())
        out.emplace(found->second, line.label);
  } catch (const std::exception&) {
    out.clear();  // the file has gone or changed: the map is drawn without labels
  }
  return out;
}

std::string list_of(const TopLists& lists, std::int64_t asker, std::span<const ScoredNode> row) {
  std::string out = fmt::format("<div><strong>{}</strong><ol>", escaped(lists.id(asker)));
  for (const ScoredNode& one : row)
    if (one.node >= 0)
      out += fmt::format("<li>{} <small>{:.3f}</small></li>",
                         escaped(lists.model().names.name(one.node)), one.score);
  return out + "</ol></div>\n";
}

std::string all_lists(const TopLists& lists, ThreadPool& pool) {
  std::vector<ScoredNode> filled(static_cast<std::size_t>(lists.size()) * lists.k());
  lists.fill(0, lists.size(), pool, filled);
  std::string out = "<div class=\"lists\">";
  for (std::int64_t i = 0; i < lists.size(); ++i)
    out += list_of(lists, i, std::span(filled).subspan(i * lists.k(), lists.k()));
  return out + "</div>\n";
}

}  // namespace

Hardness measure_hardness(const std::string& folder, ThreadPool& pool) {
  constexpr int kSources = 64, kRounds = 8, kBins = 20;
  const FrozenModel model = load_frozen_model(folder, "", {}, "", pool);
  SamplerSession session = make_frozen_session(model, 1, pool);
  std::vector<NodeId> sources = spread_sources(model.graph(), model.graph().sources(), kSources);
  std::erase_if(sources, [&](NodeId v) { return session.exclusion().allowed(v) == 0; });
  std::ranges::sort(sources);
  std::map<NodeId, Places> places;
  for (const NodeId v : sources)
    places.emplace(v, Places(model.graph(), model.scorer(), model.filter, v));
  Hardness out;
  out.sampler = model.sampler;
  out.histogram.assign(kBins, 0.0);
  std::map<NodeId, NodeId> before;
  std::int64_t moves = 0, steps = 0;
  draw_frozen(session, model, {sources, kRounds, 1},
              [&](const PairBatch& batch, std::size_t pairs, const Negatives& drawn) {
                for (std::size_t i = 0; i < pairs; ++i) {
                  const NodeId source = batch.pairs[i].source;
                  for (int j = 0; j < drawn.k; ++j) {
                    const NodeId v = drawn.ids[i * drawn.k + j];
                    if (v < 0) continue;
                    float score = 0;
                    model.scorer()(source, &v, 1, &score);
                    const double q = places.at(source).quantile(score);
                    out.histogram[std::min(kBins - 1, static_cast<int>(q * kBins))] += 1;
                    out.mean += q;
                    out.above_99 += q > 0.99;
                    ++out.draws;
                    const auto [last, first] = before.emplace(source, v);
                    moves += !first && last->second != v;
                    steps += !first;
                    last->second = v;
                  }
                }
              });
  const auto count = static_cast<double>(std::max<std::int64_t>(1, out.draws));
  for (double& share : out.histogram) share /= count;
  out.mean /= count;
  out.above_99 /= count;
  if (builtin_samplers().find(model.sampler).chain && steps > 0)
    out.moved = static_cast<double>(moves) / static_cast<double>(steps);
  return out;
}

std::string model_map(const std::string& /*folder*/, const LoadedModel& model) {
  constexpr std::size_t kMost = 1200;
  const Graph& graph = model.graph;
  std::vector<NodeId> rows;
  if (graph.is_bipartite()) {
    rows = by_degree(graph, graph.sources(), kMost / 2);
    for (const NodeId v : by_degree(graph, graph.targets(), kMost / 2)) rows.push_back(v);
  } else {
    rows = by_degree(graph, {0, graph.num_nodes()}, kMost);
  }
  if (rows.size() < 2) return "";
  const Projection plane = project(directions(model, model.embeddings.view()).view(), rows);
  const auto labels = labels_of(model);
  std::map<std::string, int> counts;
  for (const NodeId v : rows)
    if (const auto label = labels.find(v); label != labels.end()) ++counts[label->second];
  std::vector<std::string> groups;
  if (graph.is_bipartite()) {
    groups = {"users", "items"};
  } else {
    std::vector<std::pair<int, std::string>> sorted;
    for (const auto& [name, count] : counts) sorted.emplace_back(-count, name);
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size() && i < 8; ++i) groups.push_back(sorted[i].second);
  }
  std::vector<MapPoint> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    MapPoint point{plane.points[i], model.names.name(rows[i]), graph.is_bipartite() ? 0 : -1};
    if (graph.is_bipartite()) point.group = graph.sources().contains(rows[i]) ? 0 : 1;
    if (const auto label = labels.find(rows[i]); label != labels.end() && !graph.is_bipartite()) {
      const auto found = std::ranges::find(groups, label->second);
      point.group = found == groups.end() ? -1 : static_cast<int>(found - groups.begin());
      point.name += ", " + label->second;
    }
    if (groups.empty()) point.group = 0;
    points.push_back(std::move(point));
  }
  const std::string title = fmt::format(
      "Map of {} nodes by the first two principal components of their vectors", points.size());
  return fmt::format(
             "<p>The {} nodes with the most edges, by the two directions in which their "
             "vectors differ most ({:.0f} % of the variance).</p>\n",
             points.size(), 100 * plane.share) +
         map_figure(title, points, groups);
}

std::string model_lists(const std::string& folder, const LoadedModel& model, ThreadPool& pool) {
  constexpr std::size_t kAskers = 6, kBest = 5;
  const Graph& graph = model.graph;
  std::string out;
  if (graph.is_bipartite()) {
    Askers askers{spread_sources(graph, graph.sources(), kAskers), {}};
    if (!askers.rows.empty())
      out += "<h3>Recommendations</h3>\n" +
             all_lists(TopLists::of_items(model, saved_score_tables(model, folder),
                                          std::move(askers), kBest),
                       pool);
  }
  const NodeRange among = graph.is_bipartite() ? graph.targets() : NodeRange{0, graph.num_nodes()};
  Askers askers{by_degree(graph, among, kAskers), {}};
  if (!askers.rows.empty())
    out += fmt::format("<h3>Nearest {}</h3>\n", graph.is_bipartite() ? "items" : "nodes") +
           all_lists(TopLists::of_neighbors(model, model.embeddings.view(), among,
                                            std::move(askers), kBest),
                     pool);
  return out;
}

}  // namespace mcns

// The evaluators of the three tasks on arrays of vectors.
#include <algorithm>

#include "mcns/eval/classify.h"
#include "mcns/eval/links.h"
#include "mcns/eval/ranking.h"

#include "src/binding.h"

namespace mcns::python {
namespace {

nb::dict to_dict(const Metrics& metrics) {
  nb::dict out;
  for (const auto& [name, value] : metrics) {
    const auto slash = name.find('/');
    if (slash == std::string::npos) {
      out[name.c_str()] = value;
      continue;
    }
    const std::string first = name.substr(0, slash);
    if (!out.contains(first.c_str())) out[first.c_str()] = nb::dict();
    nb::cast<nb::dict>(out[first.c_str()])[name.substr(slash + 1).c_str()] = value;
  }
  return out;
}

std::vector<Pair> to_pairs(const Graph& graph, const Table<std::int64_t>& rows) {
  require(rows.shape(1) == 2, "pairs have two columns, got {}", rows.shape(1));
  std::vector<Pair> out;
  const NodeRange sources = graph.sources(), targets = graph.targets();
  for (std::size_t i = 0; i < rows.shape(0); ++i) {
    const std::int64_t u = rows(i, 0), v = rows(i, 1);
    require(u >= 0 && u < sources.size() && v >= 0 && v < targets.size(),
            "pair {} ({}, {}) is not of rows of the data", i, u, v);
    out.push_back({sources.begin + static_cast<NodeId>(u), targets.begin + static_cast<NodeId>(v)});
  }
  return out;
}

nb::dict evaluate(const Evaluator& evaluator, const Matrix& source, const Matrix& target,
                  int threads) {
  Evaluation found;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool(threads);
    found = evaluator.evaluate_fully({source.view(), target.view()}, pool);
  }
  return to_dict(found.metrics);
}

nb::dict recommend(const EdgeData& train, const Table<std::int64_t>& test,
                   const std::optional<Table<std::int64_t>>& known, const Vectors& users,
                   const Vectors& items, std::int64_t candidates, const std::string& metrics,
                   std::uint64_t seed, int threads) {
  const auto named = graph_of(train);
  const Graph& graph = named->graph;
  require(graph.is_bipartite(), "recommend needs user-item data");
  const std::vector<Pair> ranked = to_pairs(graph, test);
  const std::vector<Pair> left_out = known ? to_pairs(graph, *known) : std::vector<Pair>{};
  RankingOptions options{candidates, seed, {}};
  if (!metrics.empty()) options.metrics = parse_ranking_metrics(metrics);
  const RankingEvaluator evaluator(graph, ranked, left_out, options);
  const Matrix table = joined_table(graph, users, items);
  return evaluate(evaluator, table, table, threads);
}

nb::dict links(const EdgeData& train, const Table<std::int64_t>& pairs,
               const Column<std::uint8_t>& labels, const Vectors& sources,
               const std::optional<Vectors>& targets, int threads) {
  const auto named = graph_of(train);
  const Graph& graph = named->graph;
  HeldOut held_out{to_pairs(graph, pairs), {labels.data(), labels.data() + labels.size()}};
  require(held_out.pairs.size() == held_out.labels.size(), "{} pairs but {} labels",
          held_out.pairs.size(), held_out.labels.size());
  const LinkEvaluator evaluator(graph, std::move(held_out));
  if (graph.is_bipartite()) {
    const Matrix table = joined_table(graph, sources, targets);
    return evaluate(evaluator, table, table, threads);
  }
  const Matrix source = joined_table(graph, sources, {});
  const Matrix target = joined_table(graph, sources, targets);
  return evaluate(evaluator, source, target, threads);
}

nb::dict classify(const Vectors& vectors, const Rows& nodes, const Rows& labels,
                  const std::vector<std::string>& names, const std::vector<int>& percents,
                  int repeats, bool normalize, std::uint64_t seed, int threads) {
  require(nodes.size() == labels.size(), "{} nodes but {} labels", nodes.size(), labels.size());
  const auto rows = static_cast<std::int64_t>(vectors.shape(0));
  NodeLabels all{{}, names};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    require(nodes(i) >= 0 && nodes(i) < rows, "node {} is not a row in [0, {})", nodes(i), rows);
    all.entries.push_back({static_cast<NodeId>(nodes(i)), static_cast<std::int32_t>(labels(i))});
  }
  const auto key = [](const NodeLabels::Entry& e) { return std::pair(e.node, e.label); };
  std::ranges::sort(all.entries, {}, key);
  const auto is_same = [&](const auto& a, const auto& b) { return key(a) == key(b); };
  const auto last = std::unique(all.entries.begin(), all.entries.end(), is_same);
  all.entries.erase(last, all.entries.end());
  ClassifyOptions options;
  options.train_percents = percents;
  options.repeats = repeats;
  options.normalize = normalize;
  options.seed = seed;
  const ClassifyEvaluator evaluator(all, options);
  const int dim = static_cast<int>(vectors.shape(1));
  Matrix table(rows, dim);
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(vectors.data() + i * dim, dim, table.row(i));
  return evaluate(evaluator, table, table, threads);
}

}  // namespace

void bind_evaluate(nb::module_& m) {
  using nb::arg;
  m.def("evaluate_recommend", &recommend, arg("train"), arg("test"), arg("known").none(),
        arg("users"), arg("items"), arg("candidates"), arg("metrics"), arg("seed"), arg("threads"));
  m.def("evaluate_links", &links, arg("train"), arg("pairs"), arg("labels"), arg("sources"),
        arg("targets").none(), arg("threads"));
  m.def("evaluate_classify", &classify);
}

}  // namespace mcns::python

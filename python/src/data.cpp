// Edges from arrays, names and files; rows and ids; splits.
#include <limits>
#include <unordered_map>

#include "mcns/core/generate.h"
#include "mcns/io/read_files.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/leaks.h"
#include "mcns/splits/links.h"

#include "src/binding.h"

namespace mcns::python {
namespace {

using Weights = std::optional<Column<float>>;
using TimeColumn = std::optional<Column<double>>;

template <class T>
std::vector<T> values_of(const std::optional<Column<T>>& column, std::size_t rows,
                         const char* what) {
  if (!column) return {};
  require(column->size() == rows, "{} has {} values, there are {} pairs", what, column->size(),
          rows);
  return {column->data(), column->data() + rows};
}

void take_values(RawEdges& edges, const Weights& weights, const TimeColumn& times) {
  const std::size_t rows = edges.pairs.size();
  edges.values = values_of(weights, rows, "weight");
  edges.times = values_of(times, rows, "time");
  edges.asked_weights = weights.has_value();
  for (std::size_t i = 0; i < edges.values.size(); ++i)
    if (!std::isfinite(edges.values[i]) || edges.values[i] < 0)
      throw_error(ErrorKind::kData, "row {}: weight {} is not a finite number from 0", i,
                  edges.values[i]);
  for (std::size_t i = 0; i < edges.times.size(); ++i)
    if (!std::isfinite(edges.times[i]))
      throw_error(ErrorKind::kData, "row {}: the time is missing", i);
}

/// Selects edges as the options say, which is then done.
EdgeData finished(RawEdges edges, LoadOptions load) {
  select_training_edges(edges, load, "the data");
  if (load.keeps_last()) load.duplicates.reset();
  load.core.reset();
  return {std::move(edges), std::move(load)};
}

/// Ids that are row numbers or other small integers; `nodes` and `items` have those of nodes that
/// may be without any edge.
EdgeData from_numbers(const Rows& sources, const Rows& targets, const Weights& weights,
                      const TimeColumn& times, const TextSettings& load,
                      const std::optional<Rows>& nodes, const std::optional<Rows>& items) {
  require(sources.size() == targets.size(), "{} sources but {} targets", sources.size(),
          targets.size());
  RawEdges edges;
  constexpr std::int64_t kMax = std::numeric_limits<NodeId>::max() - 1;
  const auto id = [&](std::int64_t value) {
    require(value >= 0 && value <= kMax, "id {} is not in [0, {}]", value, kMax);
    return static_cast<NodeId>(value);
  };
  {
    const nb::gil_scoped_release released;
    edges.pairs.resize(sources.size());
    for (std::size_t i = 0; i < edges.pairs.size(); ++i)
      edges.pairs[i] = {id(sources.data()[i]), id(targets.data()[i])};
    for (std::size_t i = 0; nodes && i < nodes->size(); ++i)
      edges.isolated.push_back(id(nodes->data()[i]));
    for (std::size_t i = 0; items && i < items->size(); ++i)
      edges.isolated_items.push_back(id(items->data()[i]));
    take_values(edges, weights, times);
  }
  return finished(std::move(edges), load_options(load));
}

/// Ids as text, numbered by first appearance.
class NameNumbers {
 public:
  NodeId number(nb::handle name) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (text == nullptr) throw nb::python_error();
    const auto [at, is_new] = numbers_.try_emplace(
        std::string(text, static_cast<std::size_t>(size)), static_cast<NodeId>(names_.size()));
    if (is_new) names_.push_back(at->first);
    return at->second;
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::unordered_map<std::string, NodeId> numbers_;
  std::vector<std::string> names_;
};

/// Where all names are plain integers they count as such, as in files.
void as_integers(RawEdges& edges) {
  constexpr std::int64_t kMax = std::numeric_limits<NodeId>::max() - 1;
  std::vector<NodeId> ids;
  for (const std::string& name : edges.names) {
    const auto id = plain_integer(name);
    if (!id || *id > kMax) return;
    ids.push_back(static_cast<NodeId>(*id));
  }
  for (Pair& pair : edges.pairs) pair = {ids[pair.source], ids[pair.target]};
  for (NodeId& id : edges.isolated) id = ids[id];
  for (NodeId& id : edges.isolated_items) id = ids[id];
  edges.names = {};
  edges.numeric = true;
}

EdgeData from_names(const nb::list& sources, const nb::list& targets, const Weights& weights,
                    const TimeColumn& times, const TextSettings& load, const nb::list& nodes,
                    const nb::list& items) {
  require(nb::len(sources) == nb::len(targets), "{} sources but {} targets", nb::len(sources),
          nb::len(targets));
  RawEdges edges;
  edges.numeric = false;
  NameNumbers numbers;
  for (std::size_t i = 0; i < nb::len(sources); ++i) {
    const NodeId source = numbers.number(sources[i]);
    edges.pairs.push_back({source, numbers.number(targets[i])});
  }
  for (const nb::handle node : nodes) edges.isolated.push_back(numbers.number(node));
  for (const nb::handle item : items) edges.isolated_items.push_back(numbers.number(item));
  edges.names = numbers.take();
  as_integers(edges);
  take_values(edges, weights, times);
  return finished(std::move(edges), load_options(load));
}

EdgeData from_file(const std::string& path, const TextSettings& given) {
  const LoadOptions options = load_options(given);
  ThreadPool pool;
  DatasetFiles files;
  files.train = path;
  ReadFiles read = read_files(files, {}, options, pool, Times::kIfAny);
  LoadOptions load;  // what is left to do once the text is read
  load.bipartite = read.options.bipartite;
  load.directed = read.options.directed;
  load.duplicates = read.options.duplicates;
  load.self_loops = read.options.self_loops;
  load.core = read.options.core;
  return finished(std::move(read.sources[0].edges), std::move(load));
}

/// The files of a dataset by name or folder, and how the task reads them.
nb::dict dataset_files(const std::string& name, const std::string& task) {
  const Task parsed = parse_task(task);
  const ResolvedDataset found = resolve_dataset(name, parsed);
  nb::dict out;
  out["train"] = found.files.train;
  out["valid"] = found.files.valid;
  out["test"] = found.files.test;
  out["labels"] = found.files.labels;
  out["bipartite"] = for_task({}, parsed, found.bipartite).bipartite.value_or("");
  return out;
}

/// Ids of rows: numbers where all of them are, else names.
nb::object ids_of(const Names& names, NodeRange range) {
  std::vector<std::int64_t> numbers;
  for (NodeId v = range.begin; v < range.end; ++v) {
    const auto number = plain_integer(names.name(v));
    if (!number) break;
    numbers.push_back(*number);
  }
  if (std::ssize(numbers) == range.size()) return nb::cast(to_array(std::move(numbers)));
  nb::list out;
  for (NodeId v = range.begin; v < range.end; ++v) out.append(to_text(names.name(v)));
  return out;
}

/// The pairs as they were given: ids of both columns, and labels where they have some.
nb::tuple raw_pairs(const EdgeData& data) {
  const RawEdges& edges = *data.edges();
  const auto column = [&](NodeId Pair::*end) -> nb::object {
    if (edges.numeric) {
      std::vector<std::int64_t> numbers;
      for (const Pair& pair : edges.pairs) numbers.push_back(pair.*end);
      return nb::cast(to_array(std::move(numbers)));
    }
    nb::list out;
    for (const Pair& pair : edges.pairs) out.append(to_text(edges.names[pair.*end]));
    return out;
  };
  nb::object labels = nb::none();
  if (!edges.values.empty()) labels = nb::cast(to_array(std::vector<float>(edges.values)));
  return nb::make_tuple(column(&Pair::source), column(&Pair::target), labels);
}

std::vector<std::int64_t> flat(const std::vector<Pair>& pairs, NodeId first_target) {
  std::vector<std::int64_t> out;
  out.reserve(2 * pairs.size());
  for (const auto [source, target] : pairs) {
    out.push_back(source);
    out.push_back(target - first_target);
  }
  return out;
}

auto pair_rows(const EdgeData& data) {
  const auto graph = data.graph();
  std::vector<Pair> pairs = edge_list(graph->graph).pairs;
  const std::size_t count = pairs.size();
  return to_array(flat(pairs, graph->graph.targets().begin), {count, 2});
}

auto edge_weights(const EdgeData& data) {
  EdgeList list = edge_list(data.graph()->graph);
  if (list.weights.empty()) list.weights.assign(list.pairs.size(), 1.0F);
  return to_array(std::move(list.weights));
}

nb::dict facts(const EdgeData& data) {
  const auto named = data.graph();
  const Graph& graph = named->graph;
  nb::dict out;
  out["nodes"] = graph.num_nodes();
  out["users"] = graph.num_users();
  out["items"] = graph.num_items();
  out["edges"] = graph.num_edges();
  out["bipartite"] = graph.is_bipartite();
  out["directed"] = graph.is_directed();
  out["weighted"] = graph.is_weighted();
  out["times"] = !named->times.empty();
  out["merged"] = named->counts.merged;
  out["self_loops"] = named->counts.self_loops;
  return out;
}

/// Pairs of rows as a table of their own, with the ids of `from`.
EdgeData part_of(const EdgeData& from, std::vector<Pair> pairs, std::vector<float> values) {
  const auto named = from.graph();
  const Graph& graph = named->graph;
  RawEdges edges;
  edges.pairs = std::move(pairs);
  edges.values = std::move(values);
  edges.asked_weights = graph.is_weighted();
  // Rows of users and of items have names of their own, so that they may be equal.
  edges.numeric = false;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) edges.names.push_back(named->names.name(v));
  as_integers(edges);
  return {std::move(edges), from.load()};
}

std::vector<float> labels_of(const HeldOut& part) {
  return {part.labels.begin(), part.labels.end()};
}

struct SplitWords {
  std::string kind, time_cut, reciprocal;
  double valid, test;
  int parts, fold;
  std::uint64_t seed;
};

std::vector<EdgeData> split(const EdgeData& data, const SplitWords& words) {
  const auto named = data.graph();
  const Graph& graph = named->graph;
  const Task task = graph.is_bipartite() ? Task::kRecommend : Task::kLinkpred;
  require(words.valid >= 0 && words.test >= 0 && words.valid + words.test < 1,
          "shares of valid and test are from 0 and together less than 1, got {} and {}",
          words.valid, words.test);
  const SplitRequest request{.kind = parse_split(words.kind, task),
                             .valid = words.valid,
                             .test = words.test,
                             .parts = words.parts,
                             .fold = words.fold,
                             .time_cut = parse_time_cut(words.time_cut),
                             .reciprocal = parse_reciprocal(words.reciprocal),
                             .seed = words.seed};
  require(request.kind != SplitKind::kTime || !named->times.empty(),
          "split 'time' needs times: give the column when the Dataset is made");
  std::vector<EdgeData> out;
  if (task == Task::kRecommend) {
    const EdgeList all = edge_list(graph);
    InteractionSplit parts = split_interactions({all.pairs, all.weights, named->times}, request);
    out.push_back(part_of(data, std::move(parts.train.pairs), std::move(parts.train.weights)));
    out.push_back(part_of(data, std::move(parts.valid), {}));
    out.push_back(part_of(data, std::move(parts.test), {}));
  } else {
    ThreadPool pool;
    LinkSplit parts = split_links(graph, request, pool, named->times);
    out.push_back(part_of(data, std::move(parts.train.pairs), std::move(parts.train.weights)));
    for (HeldOut* part : {&parts.valid, &parts.test})
      out.push_back(part_of(data, std::move(part->pairs), labels_of(*part)));
  }
  return out;
}

nb::list check_leaks(const EdgeData& train, const EdgeData* valid, const EdgeData* test) {
  ThreadPool pool;
  const Task task =
      train.load().bipartite_kind() == Bipartite::kNone ? Task::kLinkpred : Task::kRecommend;
  LoadOptions load = train.load();
  const RawSplit raw = read_split(memory_files(train, valid, test), task, load, pool);
  const LeakReport report =
      check_split(raw, {.undirected = task == Task::kLinkpred && !load.is_directed()});
  nb::list out;
  for (const Finding& finding : report.findings) {
    nb::dict one;
    one["kind"] = std::string(finding_name(finding.kind));
    one["leak"] = finding.severity == Severity::kLeak;
    one["text"] = describe(finding);
    one["count"] = finding.count;
    one["of"] = finding.of;
    one["examples"] = finding.examples;
    out.append(one);
  }
  return out;
}

}  // namespace

std::shared_ptr<const NamedGraph> EdgeData::graph() const {
  if (graph_) return graph_;
  ThreadPool pool;
  graph_ =
      std::make_shared<NamedGraph>(graph_of_edges(*edges_, "the data", load_, pool, Times::kIfAny));
  return graph_;
}

DatasetFiles memory_files(const EdgeData& train, const EdgeData* valid, const EdgeData* test,
                          std::vector<NamedLabel> labels) {
  auto memory = std::make_shared<MemoryFiles>();
  DatasetFiles out;
  const auto put = [&](const EdgeData* data, const char* name, std::string& place) {
    if (data == nullptr) return;
    place = name;
    memory->edges[place] = data->edges();
  };
  put(&train, "train", out.train);
  put(valid, "valid", out.valid);
  put(test, "test", out.test);
  if (!labels.empty()) {
    out.labels = "labels";
    memory->labels[out.labels] = std::move(labels);
  }
  out.memory = std::move(memory);
  return out;
}

void bind_data(nb::module_& m) {
  using nb::arg;
  nb::class_<EdgeData>(m, "EdgeData")
      .def_prop_ro("bipartite",
                   [](const EdgeData& d) { return d.load().bipartite_kind() != Bipartite::kNone; })
      .def_prop_ro("directed", [](const EdgeData& d) { return d.load().is_directed(); })
      .def("facts", &facts)
      .def("ids",
           [](const EdgeData& d) { return ids_of(d.graph()->names, d.graph()->graph.sources()); })
      .def("item_ids",
           [](const EdgeData& d) { return ids_of(d.graph()->names, d.graph()->graph.targets()); })
      .def("pairs", &pair_rows)
      .def("times",
           [](const EdgeData& d) { return to_array(std::vector<double>(d.graph()->times)); })
      .def("weights", &edge_weights)
      .def("raw_pairs", &raw_pairs);
  m.def("edges_from_numbers", &from_numbers, arg("sources"), arg("targets"), arg("weights").none(),
        arg("times").none(), arg("load"), arg("nodes").none(), arg("items").none());
  m.def("edges_from_names", &from_names, arg("sources"), arg("targets"), arg("weights").none(),
        arg("times").none(), arg("load"), arg("nodes"), arg("items"));
  m.def("edges_from_file", &from_file, nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "split",
      [](const EdgeData& data, const std::string& kind, double valid, double test,
         std::uint64_t seed, int parts, int fold, const std::string& time_cut,
         const std::string& reciprocal) {
        return split(data, {kind, time_cut, reciprocal, valid, test, parts, fold, seed});
      },
      nb::call_guard<nb::gil_scoped_release>());
  m.def("dataset_files", &dataset_files);
  m.def("check_leaks", &check_leaks, arg("train"), arg("valid").none(), arg("test").none());
}

}  // namespace mcns::python

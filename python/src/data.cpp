// Edges from arrays, names and files; rows and ids; pickling.
#include <cstring>
#include <limits>
#include <unordered_map>

#include "mcns/core/generate.h"
#include "mcns/io/read_files.h"

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
  const nb::gil_scoped_release released;
  edges.pairs.resize(sources.size());
  for (std::size_t i = 0; i < edges.pairs.size(); ++i)
    edges.pairs[i] = {id(sources.data()[i]), id(targets.data()[i])};
  for (std::size_t i = 0; nodes && i < nodes->size(); ++i)
    edges.isolated.push_back(id(nodes->data()[i]));
  for (std::size_t i = 0; items && i < items->size(); ++i)
    edges.isolated_items.push_back(id(items->data()[i]));
  take_values(edges, weights, times);
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
  const nb::gil_scoped_release released;
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

auto pair_rows(const EdgeData& data) {
  const auto graph = graph_of(data);
  return pair_array(edge_list(graph->graph).pairs, graph->graph.targets().begin);
}

auto edge_weights(const EdgeData& data) {
  EdgeList list = edge_list(graph_of(data)->graph);
  if (list.weights.empty()) list.weights.assign(list.pairs.size(), 1.0F);
  return to_array(std::move(list.weights));
}

nb::dict facts(const EdgeData& data) {
  const auto named = graph_of(data);
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

template <class T>
nb::bytes bytes_of(const std::vector<T>& values) {
  return nb::bytes(values.data(), values.size() * sizeof(T));
}

template <class T>
std::vector<T> values_of(nb::handle bytes) {
  const auto from = nb::cast<nb::bytes>(bytes);
  std::vector<T> out(from.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), from.data(), out.size() * sizeof(T));
  return out;
}

/// What pickle keeps: columns as bytes, names, what the data are, and how they become a graph.
nb::tuple state_of(const EdgeData& data) {
  const RawEdges& edges = *data.edges();
  nb::list names;
  for (const std::string& name : edges.names) names.append(nb::bytes(name.data(), name.size()));
  TextSettings load;
  for_each_load_option(data.load(), [&](const char* name, const auto& field, const char*) {
    if (field) load[name] = fmt::format("{}", *field);
  });
  const std::vector<bool> flags{edges.numeric,  edges.user_item, edges.named_user_item,
                                edges.directed, edges.symmetric, edges.asked_weights};
  return nb::make_tuple(bytes_of(edges.pairs), bytes_of(edges.values), bytes_of(edges.times), names,
                        bytes_of(edges.isolated), bytes_of(edges.isolated_items), flags, 1, load);
}

RawEdges edges_of(const nb::tuple& state) {
  require(nb::len(state) == 9 && nb::cast<int>(state[7]) == 1, "a Dataset of another version");
  RawEdges out;
  out.pairs = values_of<Pair>(state[0]);
  out.values = values_of<float>(state[1]);
  out.times = values_of<double>(state[2]);
  for (const nb::handle name : state[3]) {
    const auto bytes = nb::cast<nb::bytes>(name);
    out.names.emplace_back(bytes.c_str(), bytes.size());
  }
  out.isolated = values_of<NodeId>(state[4]);
  out.isolated_items = values_of<NodeId>(state[5]);
  const auto flags = nb::cast<std::vector<bool>>(state[6]);
  require(flags.size() == 6, "a Dataset of another version");
  out.numeric = flags[0];
  out.user_item = flags[1];
  out.named_user_item = flags[2];
  out.directed = flags[3];
  out.symmetric = flags[4];
  out.asked_weights = flags[5];
  return out;
}

}  // namespace

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

std::shared_ptr<const NamedGraph> EdgeData::graph() const {
  const std::lock_guard lock(built_->mutex);
  if (built_->graph) return built_->graph;
  ThreadPool pool;
  built_->graph =
      std::make_shared<NamedGraph>(graph_of_edges(*edges_, "the data", load_, pool, Times::kIfAny));
  return built_->graph;
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
      .def_prop_ro("bipartite_kind",
                   [](const EdgeData& d) { return bipartite_word(d.load().bipartite_kind()); })
      .def("ids",
           [](const EdgeData& d) {
             const auto named = graph_of(d);
             return ids_of(named->names, named->graph.sources());
           })
      .def("item_ids",
           [](const EdgeData& d) {
             const auto named = graph_of(d);
             return ids_of(named->names, named->graph.targets());
           })
      .def("pairs", &pair_rows)
      .def("times",
           [](const EdgeData& d) { return to_array(std::vector<double>(graph_of(d)->times)); })
      .def("weights", &edge_weights)
      .def("raw_pairs", &raw_pairs)
      .def("__getstate__", &state_of)
      .def("__setstate__", [](EdgeData& d, const nb::tuple& state) {
        new (&d) EdgeData(edges_of(state), load_options(nb::cast<TextSettings>(state[8])));
      });
  m.def("edges_from_numbers", &from_numbers, arg("sources"), arg("targets"), arg("weights").none(),
        arg("times").none(), arg("load"), arg("nodes").none(), arg("items").none());
  m.def("edges_from_names", &from_names, arg("sources"), arg("targets"), arg("weights").none(),
        arg("times").none(), arg("load"), arg("nodes"), arg("items"));
  m.def("edges_from_file", &from_file, nb::call_guard<nb::gil_scoped_release>());
  m.def("dataset_files", &dataset_files);
}

}  // namespace mcns::python

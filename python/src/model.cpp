// What is asked of a model: lists of the best, neighbours, scores, fold-in, its files.
#include "src/model.h"

#include <filesystem>
#include <fstream>

#include "mcns/eval/top_k.h"
#include "mcns/io/files.h"
#include "mcns/model/fold_in.h"
#include "mcns/model/top_lists.h"
#include "mcns/model/weights.h"

namespace mcns::python {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Matrix copied(ConstMatrixRef table) {
  Matrix out(table.rows, table.dim);
  for (std::int64_t i = 0; i < table.rows; ++i) std::copy_n(table.row(i), table.dim, out.row(i));
  return out;
}

/// A view that keeps the model alive; rows may have zeros behind them that it does not show.
nb::object view_of(nb::handle model, const Matrix& table) {
  const std::size_t shape[] = {static_cast<std::size_t>(table.rows()),
                               static_cast<std::size_t>(table.dim())};
  const std::int64_t strides[] = {table.stride(), 1};
  return nb::cast(nb::ndarray<nb::numpy, const float>(table.data(), 2, shape, model, strides));
}

/// Lists as rows and scores, [askers, k]; -1 and NaN after the last.
nb::tuple to_lists(const std::vector<ScoredNode>& best, std::size_t askers, std::size_t k,
                   NodeId first) {
  std::vector<std::int64_t> rows(askers * k, -1);
  std::vector<float> scores(askers * k, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].node < 0) continue;
    rows[i] = best[i].node - first;
    scores[i] = best[i].score;
  }
  return nb::make_tuple(to_array(std::move(rows), {askers, k}),
                        to_array(std::move(scores), {askers, k}));
}

/// Rows of users; -1 stands for somebody unknown, who gets the popular items.
nb::tuple recommend(const Model& model, const Rows& users, std::size_t k, bool filter_seen,
                    int threads) {
  Askers askers;
  const NodeRange range = model.graph().sources();
  for (std::size_t i = 0; i < users.size(); ++i) {
    const std::int64_t row = users(i);
    require(row < range.size(), "user {} is not a row in [0, {})", row, range.size());
    askers.rows.push_back(row < 0 ? ~static_cast<NodeId>(askers.unknown.size())
                                  : static_cast<NodeId>(row));
    if (row < 0) askers.unknown.emplace_back("unknown");
  }
  std::vector<ScoredNode> best;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool(threads);
    const EmbeddingView tables = model.tables();
    const std::vector<NodeId> rows = askers.rows;
    const TopLists lists = TopLists::of_items(model.loaded, tables, std::move(askers), k);
    k = lists.k();
    best.resize(rows.size() * k);
    if (filter_seen) {
      lists.fill(0, lists.size(), pool, best);
    } else {
      require(std::ranges::none_of(rows, [](NodeId row) { return row < 0; }),
              "unknown users have no list without filter_seen");
      best_targets({.source = tables.source,
                    .target = tables.target,
                    .among = model.graph().targets(),
                    .sources = rows,
                    .left_out = {},
                    .k = k},
                   pool, best);
    }
  }
  return to_lists(best, users.size(), k, model.graph().targets().begin);
}

nb::tuple neighbors(const Model& model, const Rows& nodes, std::size_t k, bool items, int threads) {
  const Graph& graph = model.graph();
  const NodeRange range = items ? graph.targets() : graph.sources();
  Askers askers{to_nodes(nodes, range, "node"), {}};
  std::vector<ScoredNode> best;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool(threads);
    const EmbeddingView tables = model.tables();
    const ConstMatrixRef table = items && graph.is_bipartite() ? tables.target : tables.source;
    const TopLists lists = TopLists::of_neighbors(model.loaded, table, range, std::move(askers), k);
    k = lists.k();
    best.resize(nodes.size() * k);
    lists.fill(0, lists.size(), pool, best);
  }
  return to_lists(best, nodes.size(), k, range.begin);
}

auto fold_in_rows(const Model& model, const Rows& items) {
  std::vector<NodeId> rows = to_nodes(items, model.graph().targets(), "item");
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  require(!rows.empty(), "fold_in needs at least one item");
  const nb::gil_scoped_release released;
  const Matrix vector = fold_in(model.tables(), model.graph(), rows);
  return std::vector<float>(vector.row(0), vector.row(0) + vector.dim());
}

/// The best items for vectors of somebody new; `seen` are left out.
nb::tuple recommend_vector(const Model& model, const Vectors& vector, const Rows& seen,
                           std::size_t k) {
  const EmbeddingView tables = model.tables();
  require(vector.shape(0) == 1 && static_cast<int>(vector.shape(1)) == tables.source.dim,
          "expected one vector of {} numbers", tables.source.dim);
  Matrix source(1, tables.source.dim);
  std::copy_n(vector.data(), vector.shape(1), source.row(0));
  std::vector<NodeId> left_out = to_nodes(seen, model.graph().targets(), "item");
  std::ranges::sort(left_out);
  const std::vector<NodeId> first_row = {0};
  std::vector<ScoredNode> best;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool(1);
    best = best_targets_of_one({.source = source.view(),
                                .target = tables.target,
                                .among = model.graph().targets(),
                                .sources = first_row,
                                .left_out = left_out,
                                .itself = true,
                                .k = k},
                               pool);
  }
  const std::size_t found = best.size();
  return to_lists(best, 1, found, model.graph().targets().begin);
}

auto score(const Model& model, const Rows& sources, const Rows& targets, int threads) {
  require(sources.size() == targets.size(), "{} sources but {} targets", sources.size(),
          targets.size());
  const std::vector<NodeId> u = to_nodes(sources, model.graph().sources(), "source");
  const std::vector<NodeId> v = to_nodes(targets, model.graph().targets(), "target");
  std::vector<float> out;
  {
    const nb::gil_scoped_release released;
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < u.size(); ++i) pairs.push_back({u[i], v[i]});
    ThreadPool pool(threads);
    out = score_pairs(model.tables(), pairs, pool);
  }
  return to_array(std::move(out));
}

nb::object ids(const Model& model, bool items) {
  const NodeRange range = items ? model.graph().targets() : model.graph().sources();
  nb::list out;
  for (NodeId v = range.begin; v < range.end; ++v) out.append(to_text(model.loaded.names.name(v)));
  return out;
}

/// The training pairs as rows [n, 2], and their weights where there are some.
nb::tuple edges(const Model& model) {
  EdgeList list;
  {
    const nb::gil_scoped_release released;
    list = edge_list(model.graph());
  }
  nb::object weights = nb::none();
  if (!list.weights.empty()) weights = nb::cast(to_array(std::move(list.weights)));
  return nb::make_tuple(pair_array(list.pairs, model.graph().targets().begin), weights);
}

nb::tuple encode_graph(const std::string& model, const EdgeData& data, const std::string& features,
                       int threads) {
  EncodedGraph encoded;
  {
    const nb::gil_scoped_release released;
    ThreadPool pool(threads);
    NamedGraph graph = graph_of_edges(*data.edges(), "the data", data.load(), pool);
    encoded = encode(model, std::move(graph), features, pool);
  }
  const Matrix& vectors = encoded.vectors;
  std::vector<float> flat;
  for (std::int64_t i = 0; i < vectors.rows(); ++i)
    flat.insert(flat.end(), vectors.row(i), vectors.row(i) + vectors.dim());
  return nb::make_tuple(to_array(std::move(flat), {static_cast<std::size_t>(vectors.rows()),
                                                   static_cast<std::size_t>(vectors.dim())}),
                        encoded.unseen);
}

}  // namespace

std::unique_ptr<Model> copy_of(const ModelFiles& files, Encoder& encoder) {
  auto out = std::make_unique<Model>();
  out->loaded.graph = files.graph;
  out->loaded.names = files.names;
  out->loaded.embeddings = copied(files.embeddings);
  if (files.context) out->loaded.context = copied(*files.context);
  out->loaded.run_json = files.run_json;
  out->history_jsonl = files.history_jsonl;
  out->history_csv = files.history_csv;
  out->metrics_json = files.metrics_json;
  if (encoder.in_place() != nullptr) return out;
  const auto path = (std::filesystem::temp_directory_path() /
                     fmt::format("mcns-weights-{}-{}.npz", getpid(), fmt::ptr(out.get())))
                        .string();
  save_weights(path, encoder);
  out->weights = content_of(path);
  std::filesystem::remove(path);
  return out;
}

void Model::save(const std::string& path, bool force) const {
  const DirectoryLock lock = prepare_model_directory(path, force, false);
  ModelFiles files{loaded.graph, loaded.names,    loaded.embeddings.view(),
                   {},           loaded.run_json, history_jsonl,
                   history_csv,  metrics_json};
  if (!loaded.context.empty()) files.context = loaded.context.view();
  if (!weights.empty()) write_file_atomically(path + "/weights.npz", weights);
  write_model_directory(path, files);
}

std::unique_ptr<Model> Model::load(const std::string& path) {
  auto out = std::make_unique<Model>();
  out->loaded = load_model_directory(path);
  out->history_jsonl = content_of(path + "/history.jsonl");
  out->history_csv = content_of(path + "/history.csv");
  out->metrics_json = content_of(path + "/metrics.json");
  out->weights = content_of(path + "/weights.npz");
  return out;
}

void bind_model(nb::module_& m) {
  using nb::arg;
  nb::class_<Model>(m, "Model")
      .def_prop_ro(
          "embedding",
          [](nb::handle self) { return view_of(self, nb::cast<Model&>(self).loaded.embeddings); })
      .def_prop_ro("context",
                   [](nb::handle self) -> nb::object {
                     const Model& model = nb::cast<Model&>(self);
                     if (model.loaded.context.empty()) return nb::none();
                     return view_of(self, model.loaded.context);
                   })
      .def_prop_ro("bipartite", [](const Model& model) { return model.graph().is_bipartite(); })
      .def_ro("history_jsonl", &Model::history_jsonl)
      .def_ro("metrics_json", &Model::metrics_json)
      .def_prop_ro("run_json", [](const Model& model) { return model.loaded.run_json; })
      .def_prop_ro("directed", [](const Model& model) { return model.graph().is_directed(); })
      .def("ids", &ids)
      .def("edges", &edges)
      .def("recommend", &recommend)
      .def("neighbors", &neighbors)
      .def("fold_in", [](const Model& model,
                         const Rows& items) { return to_array(fold_in_rows(model, items)); })
      .def("recommend_vector", &recommend_vector)
      .def("score", &score)
      .def("save", &Model::save, nb::call_guard<nb::gil_scoped_release>());
  m.def("load_model", &Model::load, nb::call_guard<nb::gil_scoped_release>());
  m.def("encode", &encode_graph);
}

}  // namespace mcns::python

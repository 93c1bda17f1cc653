#include "mcns/io/model_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_set>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"
#include "mcns/io/assemble.h"
#include "mcns/io/delimited.h"
#include "mcns/io/files.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/npy.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/read_files.h"
#include "mcns/io/vector_files.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"metrics.json", "history.jsonl", "history.csv", "embeddings.npy",
                                  "context.npy",  "weights.npz",   "graph.bin",   "nodes.tsv",
                                  "run.json",     "report.html",   "tuned.toml",  "trials.jsonl"};

/// Empty where there is none, as in a folder of another tool. One that cannot be read, or was cut
/// short, is no such folder: its model would be taken for something else.
std::string read_run_json(const std::string& path) {
  std::error_code ignored;
  if (fs::status(path, ignored).type() == fs::file_type::not_found) return "";
  require_regular_file(path);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in.is_open() || in.bad())
    throw_error(ErrorKind::kIo, "cannot read {}: {}", path, std::strerror(errno));
  if (out.str().empty()) throw_bad_data(path, 0, "is empty, expected the settings of a run");
  return out.str();
}

void require_folder(const std::string& path) {
  if (!fs::is_directory(path))
    throw_error(ErrorKind::kIo, "--out {}: exists and is not a folder", path);
}

/// What clear_model_directory removes beside the checkpoint; not all of it need be there.
std::vector<fs::path> files_to_clear(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const char* name : kFiles) out.push_back(folder / name);
  if (fs::is_directory(folder / "tune"))
    for (const char* name : {"tuned.toml", "trials.jsonl"}) out.push_back(folder / "tune" / name);
  return out;
}

/// Nothing is there that would be lost.
void require_free(const std::string& path, bool replace, bool resume) {
  const bool empty = std::all_of(
      fs::directory_iterator(path), fs::directory_iterator(),
      [](const auto& entry) { return entry.path().filename() == DirectoryLock::kName; });
  require(empty || replace || resume,
          "--out {}: exists already; --force replaces it, --resume continues from its checkpoint",
          path);
}

}  // namespace

NodeRows read_nodes(const std::string& nodes) {
  require_regular_file(nodes);
  std::ifstream in(nodes);
  if (!in) throw_error(ErrorKind::kIo, "cannot read {}: it must list row, id and kind", nodes);
  NodeRows out;
  auto& [names, users] = out;
  std::int64_t number = 0;
  std::unordered_set<std::string> seen;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1) line = without_mark(line);
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream fields(line);
    std::string row, id, kind;
    std::getline(fields, row, '\t');
    std::getline(fields, id, '\t');
    std::getline(fields, kind);
    if (number == 1 && row == "row") continue;
    if (row != std::to_string(names.size()))
      throw_bad_data(nodes, number, fmt::format("expected row {}, got '{}'", names.size(), row));
    if (!kind.empty() && kind != "node" && kind != "user" && kind != "item")
      throw_bad_data(nodes, number, fmt::format("kind '{}', expected node, user or item", kind));
    if (users > 0 && kind != "user" && kind != "item")
      throw_bad_data(nodes, number,
                     fmt::format("kind '{}' among users and items, expected item", kind));
    if (kind == "user" && users != static_cast<NodeId>(names.size()))
      throw_bad_data(nodes, number, "users must come before items");
    if (const std::string problem = id_problem(id); !problem.empty())
      throw_bad_data(nodes, number, problem);
    if (!seen.insert((kind == "user" ? 'u' : 'n') + id).second)
      throw_bad_data(nodes, number, fmt::format("a second row for '{}'", id));
    users += kind == "user";
    names.push_back(id);
  }
  return out;
}

NamedGraph graph_of_rows(const NodeRows& rows, const std::string& train, const LoadOptions& options,
                         ThreadPool& pool) {
  options.check();
  const auto& [names, users] = rows;
  const auto count = static_cast<NodeId>(names.size());
  NamedGraph out{{}, Names(names), {}};
  bool directed = options.is_directed();
  EdgeList edges;
  if (!train.empty()) {
    TextOptions text = options.text();
    text.user_item = users > 0;
    text.times = options.keeps_last() ? Times::kIfAny : Times::kDrop;
    RawEdges raw = read_edges(train, text, pool, options.format_name());
    raw.values = {};
    directed = options.directed.value_or(raw.directed);
    LoadOptions selected = options;
    selected.bipartite = bipartite_word(users > 0 ? Bipartite::kSeparate : Bipartite::kNone);
    select_training_edges(raw, selected, train);
    if (directed) store_both_directions(raw);
    out.report = raw.report;
    const RowIndex first(out.names, {0, users > 0 ? users : count}),
        second(out.names, {users, count});
    const auto name = [&](NodeId id) { return raw.numeric ? std::to_string(id) : raw.names[id]; };
    for (const auto& [source, target] : raw.pairs)
      edges.pairs.push_back(
          {first.require(name(source), train), second.require(name(target), train)});
  }
  const GraphKind kind = users > 0  ? GraphKind::kBipartite
                         : directed ? GraphKind::kDirected
                                    : GraphKind::kUndirected;
  const BuildOptions build{kind, users, options.repeated(), options.self_loops_kind()};
  out.graph = build_graph(std::move(edges), count, build, pool, &out.counts);
  if (train.empty()) return out;
  out.report.merged += out.counts.merged;
  out.report.self_loops = out.counts.self_loops;
  out.report.weighted = false;
  if (options.on_read) options.on_read(out.report);
  return out;
}

void write_nodes(const std::string& path, const Graph& graph, const Names& names) {
  AtomicFile file(path);
  file.write("row\tid\tkind\n");
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    const char* kind = !graph.is_bipartite() ? "node" : v < graph.num_users() ? "user" : "item";
    file.write(fmt::format("{}\t{}\t{}\n", v, names.name(v), kind));
  }
  file.commit();
}

void check_model_directory(const std::string& path, bool replace, bool resume) {
  if (!fs::exists(path)) return;
  require_folder(path);
  { const DirectoryLock other_run_holds_it(path); }  // throws if so
  require_free(path, replace, resume);
}

DirectoryLock lock_model_directory(const std::string& path, bool replace, bool resume) {
  if (fs::exists(path)) require_folder(path);
  make_directories(path);
  DirectoryLock lock(path);
  require_free(path, replace, resume);
  remove_temporaries(path);
  return lock;
}

void require_inputs_apart(const std::string& path, std::span<const std::string> inputs) {
  std::vector<fs::path> files = files_to_clear(path);
  const fs::path checkpoint = fs::path(path) / "checkpoint";
  if (fs::is_directory(checkpoint))
    for (const auto& entry : fs::recursive_directory_iterator(checkpoint))
      files.push_back(entry.path());
  for (const fs::path& file : files)
    for (const std::string& input : inputs) {
      std::error_code missing;
      require(!fs::equivalent(file, input, missing),
              "--out {}: --force would remove {}, which is read; take another folder, or move the "
              "file",
              path, file.string());
    }
}

void clear_model_directory(const std::string& path) {
  for (const fs::path& file : files_to_clear(path)) fs::remove(file);
  fs::remove_all(fs::path(path) / "checkpoint");
  std::error_code not_empty;
  fs::remove(fs::path(path) / "tune", not_empty);
}

DirectoryLock prepare_model_directory(const std::string& path, bool replace, bool resume) {
  DirectoryLock lock = lock_model_directory(path, replace, resume);
  if (replace && !resume) clear_model_directory(path);
  return lock;
}

void write_model_directory(const std::string& path, const ModelFiles& files) {
  const auto at = [&](const char* name) { return path + "/" + name; };
  save_graph(at("graph.bin"), files.graph, files.names);
  write_nodes(at("nodes.tsv"), files.graph, files.names);
  write_npy(at("embeddings.npy"), files.embeddings);
  if (files.context)
    write_npy(at("context.npy"), *files.context);
  else
    fs::remove(at("context.npy"));
  if (files.run_json.empty())
    fs::remove(at("run.json"));
  else
    write_file_atomically(at("run.json"), files.run_json);
  write_file_atomically(at("history.jsonl"), files.history_jsonl);
  write_file_atomically(at("history.csv"), files.history_csv);
  write_file_atomically(at("metrics.json"), files.metrics_json);  // last: its presence says all is
}

LoadedModel load_model_directory(const std::string& path) {
  ThreadPool pool(1);
  if (fs::is_directory(path) && !fs::exists(path + "/graph.bin"))
    throw_error(ErrorKind::kIo, "{}/graph.bin: missing; is the run finished?", path);
  return load_model_directory(path, "", {}, pool);
}

LoadedModel load_model_directory(const std::string& path, const std::string& train,
                                 const LoadOptions& options, ThreadPool& pool) {
  if (!fs::is_directory(path)) throw_error(ErrorKind::kIo, "{}: no such model directory", path);
  const bool saved = fs::exists(path + "/graph.bin");
  NamedGraph named = saved ? load_graph_file(path + "/graph.bin")
                           : graph_of_rows(read_nodes(path + "/nodes.tsv"), train, options, pool);
  require_saved_as(options, named.graph, path);
  LoadedModel model{std::move(named.graph),
                    std::move(named.names),
                    read_npy(path + "/embeddings.npy"),
                    {},
                    read_run_json(path + "/run.json")};
  if (fs::exists(path + "/context.npy")) model.context = read_npy(path + "/context.npy");
  check_vectors(path + "/embeddings.npy", model.embeddings);
  if (fs::exists(path + "/context.npy")) {
    check_vectors(path + "/context.npy", model.context);
    if (model.context.dim() != model.embeddings.dim())
      throw_bad_data(path + "/context.npy", 0,
                     fmt::format("has {} columns, embeddings.npy has {}", model.context.dim(),
                                 model.embeddings.dim()));
  }
  for (const Matrix* table : {&model.embeddings, &model.context})
    if (!table->empty() && table->rows() != model.graph.num_nodes())
      throw_bad_data(path, 0,
                     fmt::format("a table has {} rows but the graph has {} nodes", table->rows(),
                                 model.graph.num_nodes()));
  return model;
}

RowIndex::RowIndex(const Names& names, NodeRange range) {
  rows_.reserve(range.size());
  for (NodeId v = range.begin; v < range.end; ++v) rows_.emplace(names.name(v), v);
}

NodeId RowIndex::require(const std::string& name, const std::string& path) const {
  const auto row = find(name);
  if (!row) throw_bad_data(path, 0, fmt::format("the model has no node '{}'", name));
  return *row;
}

std::optional<NodeId> RowIndex::find(const std::string& name) const {
  const auto found = rows_.find(name);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mcns

#include "mcns/io/model_directory.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/npy.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"metrics.json", "history.jsonl", "embeddings.npy", "context.npy",
                                  "weights.npz",  "graph.bin",     "nodes.tsv",      "run.json"};

void write_nodes(const std::string& path, const Graph& graph, const Names& names) {
  AtomicFile file(path);
  file.write("row\tid\tkind\n");
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    const char* kind = !graph.is_bipartite() ? "node" : v < graph.num_users() ? "user" : "item";
    file.write(fmt::format("{}\t{}\t{}\n", v, names.name(v), kind));
  }
  file.commit();
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

void prepare_model_directory(const std::string& path, bool replace, bool resume) {
  if (fs::exists(path)) {
    if (!fs::is_directory(path))
      throw_error(ErrorKind::kIo, "--out {}: exists and is not a folder", path);
    const bool empty = fs::is_empty(path);
    require(empty || replace || resume,
            "--out {}: exists already; --force replaces it, --resume goes on from its checkpoint",
            path);
    if (replace && !resume) {
      for (const char* name : kFiles) fs::remove(fs::path(path) / name);
      fs::remove_all(fs::path(path) / "checkpoint");
    }
  }
  make_directories(path);
  remove_temporaries(path);
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
  write_file_atomically(at("run.json"), files.run_json);
  write_file_atomically(at("history.jsonl"), files.history_jsonl);
  write_file_atomically(at("metrics.json"), files.metrics_json);  // last: its presence says all is
}

LoadedModel load_model_directory(const std::string& path) {
  if (!fs::is_directory(path))
    throw_error(ErrorKind::kIo, "{}: no such model directory", path);
  NamedGraph named = load_graph_file(path + "/graph.bin");
  LoadedModel model{std::move(named.graph), std::move(named.names),
                    read_npy(path + "/embeddings.npy"), {}, read_text(path + "/run.json")};
  if (fs::exists(path + "/context.npy")) model.context = read_npy(path + "/context.npy");
  if (model.embeddings.rows() != model.graph.num_nodes())
    throw_bad_data(path + "/embeddings.npy", 0,
                   fmt::format("has {} rows but graph.bin has {} nodes", model.embeddings.rows(),
                               model.graph.num_nodes()));
  return model;
}

RowIndex::RowIndex(const Names& names, NodeRange range) {
  rows_.reserve(range.size());
  for (NodeId v = range.begin; v < range.end; ++v) rows_.emplace(names.name(v), v);
}

std::optional<NodeId> RowIndex::find(const std::string& name) const {
  const auto found = rows_.find(name);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

}  // namespace mcns

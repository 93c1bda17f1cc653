// The model directory of a run: what other tools, `evaluate`, `recommend` and a later run read.
// Every file is written whole or not at all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"
#include "mcns/core/names.h"
#include "mcns/io/dataset.h"
#include "mcns/io/directory_lock.h"
#include "mcns/io/load_options.h"

namespace mcns {

struct ModelFiles {
  const Graph& graph;
  const Names& names;
  ConstMatrixRef embeddings;
  std::optional<ConstMatrixRef> context;
  std::string run_json, history_jsonl, history_csv, metrics_json;
};

/// Refuses a folder that exists unless `replace` or `resume`; changes nothing.
void check_model_directory(const std::string& path, bool replace, bool resume);
/// Checks, and makes the folder. No other run can use it until the lock is destroyed.
DirectoryLock lock_model_directory(const std::string& path, bool replace, bool resume);
/// Throws where clear_model_directory would remove one of these files.
void require_inputs_apart(const std::string& path, std::span<const std::string> inputs);
/// Removes the model that is there, and what a search left.
void clear_model_directory(const std::string& path);
/// Both: with `replace` and not `resume` a model that is there is removed.
DirectoryLock prepare_model_directory(const std::string& path, bool replace, bool resume);
void write_model_directory(const std::string& path, const ModelFiles& files);

/// nodes.tsv: row, id as the user wrote it, kind.
void write_nodes(const std::string& path, const Graph& graph, const Names& names);

/// Rows of a table of vectors; users come before items.
struct NodeRows {
  std::vector<std::string> names;
  NodeId users = 0;  ///< 0: one set of nodes
};
/// Lines of row, id and kind, in row order.
NodeRows read_nodes(const std::string& path);
/// A graph over these rows with the edges of the file `train`, or none if it is empty.
NamedGraph graph_of_rows(const NodeRows& rows, const std::string& train, const LoadOptions& options,
                         ThreadPool& pool);

/// A model as it was saved.
struct LoadedModel {
  Graph graph;
  Names names;
  Matrix embeddings;
  Matrix context;  ///< empty where the model has one table
  std::string run_json;
};
LoadedModel load_model_directory(const std::string& path);
/// The same for a folder that another tool made: embeddings.npy, nodes.tsv and perhaps context.npy.
/// Without graph.bin the training edges are those of the file `train`, or none if it is empty. The
/// options say how it is read; nodes.tsv or graph.bin shows whether there are users and items, and
/// options that contradict them are refused.
LoadedModel load_model_directory(const std::string& path, const std::string& train,
                                 const LoadOptions& options, ThreadPool& pool);

/// Rows by name; on user-item graphs a name is looked up among the users or the items.
class RowIndex {
 public:
  RowIndex(const Names& names, NodeRange range);
  std::optional<NodeId> find(const std::string& name) const;
  /// Throws for a name that is not there; `path` is where it was read.
  NodeId require(const std::string& name, const std::string& path) const;

 private:
  std::unordered_map<std::string, NodeId> rows_;
};

}  // namespace mcns

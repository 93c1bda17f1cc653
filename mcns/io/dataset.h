// Files of one experiment, loaded together so that they share rows: training graph, held-out pairs,
// node labels. Nodes that only the held-out files have are kept, and counted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/core/task.h"
#include "mcns/io/load_options.h"
#include "mcns/io/read_report.h"

namespace mcns {

struct MemoryFiles;

struct DatasetFiles {
  std::string train, valid, test, labels;  ///< empty where there is none
  /// Tables that stand for files of the same names (memory_files.h); may be null.
  std::shared_ptr<const MemoryFiles> memory = nullptr;
};

/// Held-out pairs; `labels[i]` is 1 for a true edge, 0 for a false one (link prediction only;
/// all ones elsewhere).
struct HeldOut {
  std::vector<Pair> pairs;
  std::vector<std::uint8_t> labels;
  bool empty() const { return pairs.empty(); }
};

/// Labels of nodes, several per node allowed. Sorted by node, then label.
struct NodeLabels {
  struct Entry {
    NodeId node;
    std::int32_t label;
  };
  std::vector<Entry> entries;
  std::vector<std::string> label_names;  ///< label id -> text in the file
};

struct LoadReport {
  LoadOptions options;  ///< as the training file was read
  ReadReport read;      ///< what was understood of the training file
  BuildCounts train;
  std::int64_t nodes_unseen = 0;  ///< nodes in valid, test or labels without any edge in train
};

struct Dataset {
  Graph graph;
  /// When, one per edge of edge_list(graph), the latest of merged ones; empty unless asked for.
  std::vector<double> times;
  Names names;
  HeldOut valid, test;
  NodeLabels labels;
  LoadReport report;
};

/// Reads and joins the files. Rows are ordered by id where all ids are plain integers, by first
/// appearance otherwise (train, valid, test, labels); users before items on user-item graphs.
/// A training file whose format means users and items is read as Bipartite::kSeparate unless the
/// options say more. `task` determines what a third column of held-out pairs is, or else the graph.
/// The format that the options name is that of the training file, and of held-out files that end
/// alike or are text. With Times::kNeed a file without times is refused.
Dataset load_dataset(const DatasetFiles& files, std::optional<Task> task,
                     const LoadOptions& options, ThreadPool& pool, Times times = Times::kDrop);

/// A graph alone, from any known format. A binary graph is as it was saved: it is mapped, and
/// options that would change it are refused.
struct NamedGraph {
  Graph graph;
  Names names;
  BuildCounts counts;
  std::vector<double> times = {};  ///< as in a Dataset
  ReadReport report = {};
};
NamedGraph load_graph(const std::string& path, const LoadOptions& options, ThreadPool& pool,
                      Times times = Times::kDrop);

}  // namespace mcns

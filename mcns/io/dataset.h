// Files of one experiment, loaded together so that they share rows: training graph, held-out pairs,
// node labels. Nodes that only the held-out files know are kept, and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/names.h"
#include "mcns/core/task.h"

namespace mcns {

enum class Bipartite {
  kNone,      ///< one set of nodes
  kShared,    ///< first column users, second items, one id space: no id may be both
  kSeparate,  ///< first column users, second items, two id spaces
};

struct DatasetFiles {
  std::string train, valid, test, labels;  ///< empty where there is none
};

struct LoadOptions {
  Task task = Task::kRecommend;
  Bipartite bipartite = Bipartite::kNone;
  bool directed = false;
  Repeated repeated = Repeated::kMerge;
  SelfLoops self_loops = SelfLoops::kDrop;
  std::string format = "";  ///< of the training file, see read_edges.h; empty goes by its name
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
  BuildCounts train;
  std::int64_t nodes_unseen = 0;  ///< nodes in valid, test or labels without any edge in train
};

struct Dataset {
  Graph graph;
  Names names;
  HeldOut valid, test;
  NodeLabels labels;
  LoadReport report;
};

/// Reads and joins the files. Rows are ordered by id where all ids are plain integers, by first
/// appearance otherwise (train, valid, test, labels); users before items on user-item graphs.
/// A training file whose format means users and items is read as Bipartite::kSeparate.
Dataset load_dataset(const DatasetFiles& files, const LoadOptions& options, ThreadPool& pool);

/// A graph alone, from any known format. A binary graph is as it was saved: it is mapped, and
/// options that would change it are refused.
struct NamedGraph {
  Graph graph;
  Names names;
  BuildCounts counts;
};
NamedGraph load_graph(const std::string& path, const LoadOptions& options, ThreadPool& pool);

}  // namespace mcns

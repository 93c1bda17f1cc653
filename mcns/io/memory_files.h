// Tables in memory that stand for files, so that a program runs an experiment on data that it has
// already: DatasetFiles names them as it names files, and load_dataset treats them as files of the
// same content.
//
//   auto memory = std::make_shared<MemoryFiles>();
//   memory->edges["ratings"] = std::make_shared<RawEdges>(...);
//   experiment.files = {.train = "ratings", .memory = memory};
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mcns/io/dataset.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

struct MemoryFiles {
  std::map<std::string, std::shared_ptr<const RawEdges>> edges;
  std::map<std::string, std::vector<NamedLabel>> labels;

  bool has(const std::string& name) const { return edges.contains(name) || labels.contains(name); }
};

/// The digest of a table: the same for the same ids, values and times in the same order.
std::string sha256_of_edges(const RawEdges& edges);
std::string sha256_of_labels(const std::vector<NamedLabel>& labels);

/// A graph of edges in memory, as load_graph makes it of a file with them. `name` is for messages.
NamedGraph graph_of_edges(RawEdges edges, const std::string& name, const LoadOptions& options,
                          ThreadPool& pool, Times times = Times::kDrop);

}  // namespace mcns

// Vectors of a saved model for other tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mcns {

struct ExportOptions {
  std::string model, out;
  std::string to;     ///< one of export_formats()
  std::string kind;   ///< user or item; empty: all nodes
  std::string table;  ///< one of export_tables(); empty: node, or scores on user-item graphs
  bool unit = false;  ///< divide vectors by their lengths
};

struct ExportReport {
  std::int64_t vectors = 0;
  int dim = 0;
  std::int64_t blanks = 0;  ///< ids in which blanks became _
  bool prefixed = false;  ///< some id is both a user and an item, so ids have user: or item: first
};

const std::vector<std::string>& export_formats();
/// node: the vectors of nodes; context: the second table; scores: what scores multiply, which is
/// the node vectors of users and, with two tables, the context vectors of items.
const std::vector<std::string>& export_tables();

ExportReport export_model(const ExportOptions& options);

}  // namespace mcns

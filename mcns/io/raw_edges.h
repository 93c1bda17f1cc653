// What every reader produces, before names become rows: pairs of provisional ids.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/types.h"
#include "mcns/io/read_report.h"

namespace mcns {

struct RawEdges {
  /// First and second column as provisional ids: the integer itself where `numeric`, else an index
  /// into `names`.
  std::vector<Pair> pairs;
  /// Weight or label, as long as `pairs`, or empty.
  std::vector<float> values;
  /// When, as long as `pairs`, or empty: the number of the file, or seconds since 1970 of its date.
  std::vector<double> times;
  bool numeric = true;
  std::vector<std::string> names;
  /// The format itself says that the columns are users and items with ids of their own.
  bool user_item = false;
  /// The names of the columns say so; the user may know better.
  bool named_user_item = false;
  /// The format itself says that pairs have a direction.
  bool directed = false;
  /// Each pair stands for both directions (a symmetric matrix stores one triangle).
  bool symmetric = false;
  /// The user asked for these weights: they count also where all are 1.
  bool asked_weights = false;
  /// Ids that the file declares although no pair has them, kept as isolated nodes: of the first
  /// column (of both, where the columns share their ids), and of the second where it has its own.
  std::vector<NodeId> isolated, isolated_items;
  ReadReport report;
};

/// A line of a label file.
struct NamedLabel {
  std::string node, label;
};

}  // namespace mcns

// Lists of the best few for many askers: items for users, or nearest nodes for nodes.
//
// An asker that the model does not know, or has never seen with an item, gets the popular list:
// the items with the most training pairs, scored by their number.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/eval/evaluator.h"
#include "mcns/eval/top_k.h"
#include "mcns/io/model_directory.h"

namespace mcns {

/// Who asks, in order.
struct Askers {
  std::vector<NodeId> rows;          ///< ~i stands for unknown[i]
  std::vector<std::string> unknown;  ///< ids that the model does not have
};

/// Every node of the range.
Askers all_askers(NodeRange range);
/// Ids of a file, one a line: the first column where there are more, by tabs, or by commas in a
/// .csv. A first line that says `user`, `node`, `item` or `id` and is none is a header.
Askers read_askers(const std::string& path, const Names& names, NodeRange range);

class TopLists {
 public:
  /// Items for users, without those of training; targets for sources in other graphs. The model
  /// must outlive the lists.
  static TopLists of_items(const LoadedModel& model, const EmbeddingView& tables, Askers askers,
                           std::size_t k);
  /// Nodes of `among` by cosine. An unknown asker, or one with a vector of length 0, has no list.
  static TopLists of_neighbors(const LoadedModel& model, ConstMatrixRef table, NodeRange among,
                               Askers askers, std::size_t k);

  std::int64_t size() const { return static_cast<std::int64_t>(askers_.rows.size()); }
  std::size_t k() const { return k_; }
  const LoadedModel& model() const { return *model_; }
  NodeRange among() const { return among_; }
  bool neighbors() const { return neighbors_; }
  std::string id(std::int64_t asker) const;
  /// Whether the asker gets the popular list.
  bool is_popular(std::int64_t asker) const;
  std::int64_t popular_lists() const { return popular_lists_; }

  /// Lists of askers [first, last): out[(i - first) * k + rank]; kNoNode fills short ones.
  void fill(std::int64_t first, std::int64_t last, ThreadPool& pool,
            std::span<ScoredNode> out) const;

  /// Names the lists: the same for the same vectors, edges, askers and k.
  std::string digest() const;

 private:
  TopLists(const LoadedModel& model, Askers askers, NodeRange among, std::size_t k);
  void find_popular();

  const LoadedModel* model_;
  Askers askers_;
  std::size_t k_;  ///< at most the number of nodes there are
  NodeRange among_;
  bool neighbors_ = false;
  Matrix unit_;                   ///< vectors of length 1; of neighbours only
  EmbeddingView tables_;          ///< what is multiplied
  std::vector<NodeId> left_out_;  ///< vectors of length 0; of neighbours only
  std::vector<ScoredNode> popular_;
  std::int64_t popular_lists_ = 0;
};

}  // namespace mcns

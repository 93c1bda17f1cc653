// Which items are among the first K of some user, collected from tiles of scores while pairs are
// ranked. A score that is not above the last of a full list costs one comparison.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"
#include "mcns/eval/ranking_metrics.h"

namespace mcns {

/// The first K items of every user, for coverage: what a user has in train or among the known pairs
/// is no recommendation, what is held out is. Equal scores: the item that comes first.
class TopLists {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Length 0: nothing is collected.
  TopLists(const Graph& graph, std::span<const Pair> known, std::int64_t length)
      : graph_(graph), known_(known), length_(length) {
    if (length > 0) first_place_.assign(graph.targets().size(), kNever);
  }

  void begin(std::span<const UserPairs> users) {
    if (length_ == 0) return;
    lanes_.resize(users.size());
    for (std::size_t i = 0; i < users.size(); ++i) {
      const NodeId user = users[i].node;
      const auto train = graph_.neighbors(user);
      Lane& lane = lanes_[i];
      lane = {};
      lane.hidden.assign(train.begin(), train.end());
      for (const Pair& pair : pairs_of(known_, user)) lane.hidden.push_back(pair.target);
      lane.hidden.push_back(user);
      std::ranges::sort(lane.hidden);
    }
  }

  /// Rows of the tile are items from `first` on, columns are users.
  void see(const Matrix& tile, NodeId first, int count) {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      for (int row = 0; row < count; ++row) add(lanes_[i], tile.row(row)[i], first + row);
  }

  void end() {
    const NodeId begin = graph_.targets().begin;
    for (const Lane& lane : lanes_)
      for (std::size_t place = 0; place < lane.best.size(); ++place) {
        std::int64_t& best = first_place_[lane.best[place].item - begin];
        best = std::min(best, static_cast<std::int64_t>(place));
      }
  }

  void merge_into(std::vector<std::int64_t>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::min(all[i], first_place_[i]);
  }

 private:
  struct Entry {
    float score;
    NodeId item;
  };
  struct Lane {
    std::vector<NodeId> hidden;
    std::vector<Entry> best;  ///< highest first
  };

  void add(Lane& lane, float score, NodeId item) const {
    const bool full = std::ssize(lane.best) == length_;
    if (std::isnan(score) || (full && score <= lane.best.back().score)) return;
    if (std::ranges::binary_search(lane.hidden, item)) return;
    if (full) lane.best.pop_back();
    const auto at = std::ranges::upper_bound(lane.best, score, std::greater{}, &Entry::score);
    lane.best.insert(at, {score, item});
  }

  const Graph& graph_;
  std::span<const Pair> known_;
  std::int64_t length_;
  std::vector<Lane> lanes_;
  std::vector<std::int64_t> first_place_;  ///< by item: its best place in any list, from 0
};

}  // namespace mcns

// Positives from edges, each arc once an epoch in a keyed random order, so centres follow degree as
// in Algorithm 1 of the paper. On a weighted graph arcs are drawn by weight, with replacement.
#include <optional>

#include "mcns/core/arcs.h"
#include "mcns/core/error.h"
#include "mcns/positives/permutation.h"
#include "mcns/positives/registry.h"

namespace mcns {
namespace {

class EdgePositives final : public PositiveSampler {
 public:
  explicit EdgePositives(const PositiveContext& context)
      : arcs_(context.graph), batch_(context.batch) {
    if (arcs_.size() == 0)
      throw_error(ErrorKind::kData, "the training graph has no edges to learn from");
    if (!context.graph.is_weighted()) return;
    std::vector<double> weights(arcs_.size());
    const auto& all = context.graph.arrays().weights;
    double total = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) total += weights[i] = all[i];
    if (total == 0)
      throw_error(ErrorKind::kData, "every edge of the training graph weighs 0: none can be drawn");
    by_weight_.emplace(weights);
  }

  std::int64_t batches_per_epoch() const override { return (arcs_.size() + batch_ - 1) / batch_; }
  std::int64_t most_pairs() const override { return std::min(batch_, arcs_.size()); }

  std::int64_t pieces(std::int64_t batch) const override {
    return std::min<std::int64_t>(batch_, arcs_.size() - batch * batch_);
  }

  void fill_slice(BatchKey key, Slice slice, ThreadPool& pool, PairBuffer& out) const override {
    const std::int64_t first = key.batch * batch_ + slice.first, count = slice.last - slice.first;
    out.resize(count);
    const auto epoch = static_cast<std::uint64_t>(key.epoch);
    const KeyedPermutation order(arcs_.size(), Rng(key.seed, Domain::kShuffle, epoch));
    pool.for_ranges(count, 256, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto name = static_cast<std::uint64_t>(first + i);
        std::int64_t arc;
        if (by_weight_) {
          Rng rng(key.seed, Domain::kPositives, epoch, name);
          arc = by_weight_->draw(rng);
        } else {
          arc = static_cast<std::int64_t>(order(name));
        }
        out.pairs[i] = arcs_.pair(arc);
        out.serials[i] = name;
      }
    });
  }

 private:
  ArcIndex arcs_;
  std::int64_t batch_;
  std::optional<AliasTable> by_weight_;
};

}  // namespace

PositiveEntry edge_positives() {
  PositiveEntry entry{{"edges", "every edge once an epoch; centres follow degree"}};
  entry.make = [](const Parameters&, const PositiveContext& context) {
    return std::make_unique<EdgePositives>(context);
  };
  entry.weighted_arcs = [](const Graph& graph) {
    return graph.is_bipartite() ? graph.num_arcs() / 2 : graph.num_arcs();
  };
  return entry;
}

}  // namespace mcns

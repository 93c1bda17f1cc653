// Base of samplers that propose from one distribution for all sources and reject what a source
// excludes.
//
// Proposals go by rounds: the t-th one for a pair's j-th negative is number t k + j of the pair's
// stream. The first round is computed for many pairs at once by a kernel; each round looks its
// proposals up without a branch that could be guessed wrong, and leaves the next one the few that
// are excluded.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "mcns/core/thread_scratch.h"
#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// Write `NodeId propose(std::uint64_t bits)`, from one number; `NodeId draw(NodeId source, Rng&)`,
/// which proposes until a target is allowed; `double excluded_share(NodeId source)`, the chance
/// that one is not.
template <class Derived>
class RejectionSampler : public NegativeSampler, public PoolSource {
 public:
  explicit RejectionSampler(const Exclusion& exclusion) : exclusion_(exclusion) {}

  /// The sources that exclude most leave at least half of the proposals to share.
  bool can_share(int sources) const final {
    if (exclusion_.filter() == Filter::kNone) return true;
    const NodeRange all = exclusion_.graph().sources();
    std::vector<double> excluded;
    for (NodeId u = all.begin; u < all.end; ++u)
      excluded.push_back(static_cast<const Derived&>(*this).excluded_share(u));
    const auto most = std::min<std::ptrdiff_t>(sources, std::ssize(excluded));
    std::nth_element(excluded.begin(), excluded.begin() + most, excluded.end(), std::greater{});
    return std::accumulate(excluded.begin(), excluded.begin() + most, 0.0) <= 0.5;
  }

  /// The distribution of a single source, restricted to what all sources of the window allow.
  void sample_shared(const SharedRequest& request, const Negatives& out) final {
    const auto& self = static_cast<const Derived&>(*this);
    const PairBatch& batch = request.batch;
    const auto& first = batch.windows.first_pair;
    const Streams streams(request.key.seed, Domain::kNegatives,
                          static_cast<std::uint64_t>(request.key.epoch));
    request.pool.for_ranges(batch.windows.windows(), 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t w = begin; w < end; ++w) {
        const std::span sources(batch.pairs.data() + first[w], batch.pairs.data() + first[w + 1]);
        Rng rng = streams.at(batch.serials[first[w]]);
        for (int j = 0; j < out.k; ++j) {
          NodeId v = self.propose(rng.next());
          while (excluded_by_any(sources, v)) v = self.propose(rng.next());
          out.ids[w * out.k + j] = v;
        }
      }
    });
  }

  PoolSource* pool_source() final { return this; }
  void draw_pool(BatchKey key, std::span<NodeId> out) const override {
    Rng rng(key.seed, Domain::kPool, static_cast<std::uint64_t>(key.epoch),
            static_cast<std::uint64_t>(key.batch));
    for (NodeId& v : out) v = static_cast<const Derived&>(*this).propose(rng.next());
  }

  void sample(const SampleRequest& request, const Negatives& out) final {
    auto& scratch = thread_scratch<Scratch>();
    scratch.numbers.resize(std::max(scratch.numbers.size(), std::size_t{kPairs} * out.k));
    scratch.rejected.resize(scratch.numbers.size());
    for (std::size_t first = 0; first < request.members.size(); first += kPairs)
      sample_block(request,
                   request.members.subspan(first, std::min(kPairs, request.members.size() - first)),
                   scratch, out);
  }

 protected:
  const Exclusion& exclusion() const { return exclusion_; }

 private:
  static constexpr std::size_t kPairs = 64;  ///< handled at once
  static constexpr int kRounds = 8;

  struct Rejected {
    std::int32_t pair;
    std::int32_t place;  ///< among the pair's negatives
  };
  struct Scratch {
    std::uint64_t serials[kPairs];
    std::vector<std::uint64_t> numbers;  ///< k x pairs
    std::vector<Rejected> rejected;
  };

  bool excluded_by_any(std::span<const Pair> sources, NodeId v) const {
    if (exclusion_.filter() == Filter::kNone) return false;
    bool any = false;
    for (const Pair& pair : sources) any |= exclusion_.may_be_excluded(pair.source, v);
    return any && std::ranges::any_of(sources, [&](const Pair& pair) {
             return exclusion_.excluded(pair.source, v);
           });
  }

  void sample_block(const SampleRequest& request, std::span<const std::int32_t> members,
                    Scratch& scratch, const Negatives& out) {
    const auto& self = static_cast<const Derived&>(*this);
    const std::size_t count = members.size();
    for (std::size_t m = 0; m < count; ++m) scratch.serials[m] = request.serials[members[m]];
    request.scorer.kernel->stream_numbers(request.streams().prefix(), scratch.serials,
                                          static_cast<int>(count), out.k, scratch.numbers.data());
    Rejected* rejected = scratch.rejected.data();
    for (std::size_t m = 0; m < count; ++m) {
      const std::int32_t i = members[m];
      const NodeId source = request.pairs[i].source;
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) {
        const NodeId v = self.propose(scratch.numbers[j * count + m]);
        ids[j] = v;
        *rejected = {i, j};
        rejected += exclusion_.may_be_excluded(source, v);
      }
    }
    std::span<Rejected> left(scratch.rejected.data(), rejected);
    for (int round = 1; round < kRounds && !left.empty(); ++round)
      left = left.first(propose_again(request, left, round, out));
    draw_one_by_one(request, left, out);
  }

  /// One more proposal for each that is excluded; returns how many may still be.
  std::size_t propose_again(const SampleRequest& request, std::span<Rejected> rejected, int round,
                            const Negatives& out) const {
    const auto& self = static_cast<const Derived&>(*this);
    const Streams streams = request.streams();
    std::size_t kept = 0;
    for (const Rejected at : rejected) {
      const NodeId source = request.pairs[at.pair].source;
      NodeId& v = out.ids[static_cast<std::size_t>(at.pair) * out.k + at.place];
      Rng rng = streams.at(request.serials[at.pair]);
      rng.skip(static_cast<std::uint64_t>(round) * out.k + at.place);
      const NodeId proposed = self.propose(rng.next());
      const bool again = exclusion_.excluded(source, v);
      v = again ? proposed : v;
      rejected[kept] = at;
      kept += again & exclusion_.may_be_excluded(source, proposed);
    }
    return kept;
  }

  /// For sources that exclude nearly everything. Members are in order, so the rejected ones of a
  /// pair follow each other.
  void draw_one_by_one(const SampleRequest& request, std::span<const Rejected> rejected,
                       const Negatives& out) {
    const Streams streams = request.streams();
    std::int32_t pair = -1;
    Rng rng = streams.at(0);
    for (const Rejected& at : rejected) {
      if (at.pair != pair) {
        pair = at.pair;
        rng = streams.at(request.serials[pair]);
        rng.skip(static_cast<std::uint64_t>(kRounds) * out.k);
      }
      const NodeId source = request.pairs[pair].source;
      NodeId& v = out.ids[static_cast<std::size_t>(pair) * out.k + at.place];
      if (exclusion_.excluded(source, v)) v = static_cast<Derived&>(*this).draw(source, rng);
    }
  }

  const Exclusion& exclusion_;
};

}  // namespace mcns

// Base of samplers that propose from one law for all sources and reject what a source excludes.
//
// Proposals go by rounds: the t-th one for a pair's j-th negative is number t k + j of the pair's
// stream. The first round is computed for many pairs at once by a kernel; each round looks its
// proposals up without a branch that could be guessed wrong, and leaves the next one the few that
// are excluded.
#pragma once

#include <algorithm>
#include <vector>

#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// Write `NodeId propose(std::uint64_t bits)`, from one number, and `NodeId draw(NodeId source,
/// Rng&)`, which proposes until a target is allowed.
template <class Derived>
class RejectionSampler : public NegativeSampler {
 public:
  explicit RejectionSampler(const Exclusion& exclusion) : exclusion_(exclusion) {}

  bool ignores_source() const final { return exclusion_.filter() == Filter::kNone; }

  void sample(const SampleRequest& request, Negatives& out) final {
    thread_local Scratch scratch;
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
    std::uint64_t names[kPairs];
    std::vector<std::uint64_t> numbers;  ///< k x pairs
    std::vector<Rejected> rejected;
  };

  void sample_block(const SampleRequest& request, std::span<const std::int32_t> members,
                    Scratch& scratch, Negatives& out) {
    const auto& self = static_cast<const Derived&>(*this);
    const std::size_t count = members.size();
    for (std::size_t m = 0; m < count; ++m) scratch.names[m] = request.names[members[m]];
    request.scorer.kernel->stream_numbers(request.streams().prefix(), scratch.names,
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
                            Negatives& out) const {
    const auto& self = static_cast<const Derived&>(*this);
    const Streams streams = request.streams();
    std::size_t kept = 0;
    for (const Rejected at : rejected) {
      const NodeId source = request.pairs[at.pair].source;
      NodeId& v = out.ids[static_cast<std::size_t>(at.pair) * out.k + at.place];
      Rng rng = streams.at(request.names[at.pair]);
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
                       Negatives& out) {
    const Streams streams = request.streams();
    std::int32_t pair = -1;
    Rng rng = streams.at(0);
    for (const Rejected& at : rejected) {
      if (at.pair != pair) {
        pair = at.pair;
        rng = streams.at(request.names[pair]);
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

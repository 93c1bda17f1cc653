// Base of samplers that propose from one law for all sources and reject what a source excludes.
//
// The pairs of a piece are taken round by round, one proposal each: a rejected one leaves its pair
// in the list, by arithmetic, where a loop per draw would branch and be guessed wrong. The numbers
// spent are those of drawing one by one, so the result is the same.
#pragma once

#include <algorithm>
#include <vector>

#include "mcns/samplers/negative_sampler.h"

namespace mcns {

/// Write `NodeId propose(Rng&)`, which spends one number, and `NodeId draw(NodeId source, Rng&)`,
/// which proposes until a target is allowed.
template <class Derived>
class RejectionSampler : public NegativeSampler {
 public:
  explicit RejectionSampler(const Exclusion& exclusion) : exclusion_(exclusion) {}

  void sample(const SampleRequest& request, Negatives& out) final {
    auto& self = static_cast<Derived&>(*this);
    const Streams streams = request.streams();
    thread_local std::vector<Open> scratch;
    scratch.resize(std::max(scratch.size(), request.members.size()));
    Open* open = scratch.data();
    std::size_t left = 0;
    for (const std::int32_t i : request.members) {
      const std::size_t first = static_cast<std::size_t>(i) * out.k;
      open[left++] = {streams.at(request.names[i]), first, first + out.k, request.pairs[i].source};
    }
    for (int round = 0; left > 0 && round < 2 * out.k + kRounds; ++round) {
      for (std::size_t i = 0; i < left; ++i) {
        const NodeId v = self.propose(open[i].rng);
        out.ids[open[i].next] = v;
        exclusion_.prefetch(open[i].source, v);
      }
      left = keep_open(open, left, out);
    }
    for (std::size_t i = 0; i < left; ++i) draw_pair(request, open[i].end / out.k - 1, out);
  }

 protected:
  const Exclusion& exclusion() const { return exclusion_; }

 private:
  /// A pair that lacks negatives.
  struct Open {
    Rng rng{0, Domain::kNegatives};
    std::size_t next = 0, end = 0;  ///< places in `ids`
    NodeId source = 0;
  };
  static constexpr int kRounds = 30;

  /// Moves on where the proposal is allowed; returns how many pairs are left.
  std::size_t keep_open(Open* open, std::size_t count, const Negatives& out) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t end = open[i].end;
      const NodeId source = open[i].source;
      const std::size_t next = open[i].next + !exclusion_.excluded(source, out.ids[open[i].next]);
      // Member by member: a struct copied as a whole waits for the stores of its parts.
      open[kept].rng = open[i].rng;
      open[kept].next = next;
      open[kept].end = end;
      open[kept].source = source;
      kept += next < end;
    }
    return kept;
  }

  /// From the beginning, for a source that excludes nearly everything.
  void draw_pair(const SampleRequest& request, std::size_t i, Negatives& out) {
    Rng rng = request.streams().at(request.names[i]);
    for (int j = 0; j < out.k; ++j)
      out.ids[i * out.k + j] = static_cast<Derived&>(*this).draw(request.pairs[i].source, rng);
  }

  const Exclusion& exclusion_;
};

}  // namespace mcns

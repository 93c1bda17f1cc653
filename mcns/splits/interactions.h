// Hold-outs and folds of interactions (user-item pairs, or any pairs).
//
// The unit is the distinct pair: repeated lines of one pair always land in the same part, so no
// split can leak by repetition. Every distinct pair has a place in a keyed random order, which
// depends on the seed and the set of pairs alone: not on the order of the lines, not on threads.
// Where lines have times, a distinct pair has the latest of its lines. O(n log n) for the sort that
// finds distinct pairs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/core/types.h"
#include "mcns/splits/kind.h"

namespace mcns {

/// Parts of one list of pairs, each in the order of the input. Only train keeps weights.
struct InteractionSplit {
  EdgeList train;
  std::vector<Pair> valid, test;
};

/// A list of pairs; weights and times are empty or as many.
struct Interactions {
  std::span<const Pair> pairs;
  std::span<const float> weights = {};
  std::span<const double> times = {};
};

/// Splits as the request says: the functions below by their names.
InteractionSplit split_interactions(const Interactions& all, const SplitRequest& request);

/// The latest pairs are the test set, those before them valid: about round(share * n) distinct
/// pairs each. The cuts lie between two different times, so everything in train is older than
/// valid, and valid than test. Throws Error(kData) where the times leave no such cut.
InteractionSplit split_at_time(const Interactions& all, double valid, double test);

/// Of a user with d distinct pairs the latest round(test * d) are test, those before them
/// round(valid * d) valid; the earliest stays in train. Equal times are in random order.
InteractionSplit split_users_by_time(const Interactions& all, double valid, double test,
                                     std::uint64_t seed);

/// Of each user one pair is test and one valid: the latest and the one before it where there are
/// times, else at random. A user keeps at least one pair in train, and has test before valid.
struct LeaveOneOut {
  bool valid = true, test = true;
};
InteractionSplit leave_one_out(const Interactions& all, LeaveOneOut parts, std::uint64_t seed);

/// Takes round(valid * n) and round(test * n) of the n distinct pairs at random. `weights` is empty
/// or as long as `pairs`. Fractions are at least 0 and together less than 1.
InteractionSplit split_interactions(std::span<const Pair> pairs, double valid, double test,
                                    std::uint64_t seed, std::span<const float> weights = {});

/// The rule of the paper (parts = 11): pairs evenly divided into `parts` parts at random, sizes
/// differ by at most one; the test set of `fold`, 1 to parts - 1, is that part, valid is the last
/// part in every fold, train the rest.
InteractionSplit fold_interactions(std::span<const Pair> pairs, int parts, int fold,
                                   std::uint64_t seed, std::span<const float> weights = {});

/// A validation set taken from training pairs for early stopping; test stays empty. From each
/// source with d distinct pairs it takes fraction * d of them, rounded up or down at random without
/// bias, but never the last pair of a node, source or target: every node of train keeps a pair in
/// train, so the set may be smaller than the fraction.
InteractionSplit hold_out_interactions(std::span<const Pair> pairs, double fraction,
                                       std::uint64_t seed, std::span<const float> weights = {});

}  // namespace mcns

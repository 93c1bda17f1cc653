// Scores of a block of users against rows of an item table, counting of what lies below a threshold
// and finding what lies above one. The hot part of ranking and of the best few.
//
// A score is one chain of multiply-adds over ascending coordinates, wherever its user and item lie
// in a block, so equal vectors tie exactly. A BLAS does not guarantee that: its edge kernels round
// differently, and a target would beat or lose to its own duplicates. Users sit side by side in the
// lanes of a vector: items are then read straight from their table, never packed, and counts need
// no horizontal sums. One variant per instruction set.
#pragma once

#include <cstdint>
#include <vector>

namespace mcns {

inline constexpr int kLaneGroup = 16;  ///< users whose targets are counted together
inline constexpr int kLaneBlock = 64;  ///< users scored together

struct ScoreKernels {
  /// out[j] = dot(user, rows[j]) for j < count.
  void (*scores)(const float* user, const float* const* rows, int count, int dim, float* out);
  /// out[i][l] = dot(user l, items + i * stride); users is [dim][kLaneBlock], out is
  /// [count][kLaneBlock], both on cache lines.
  void (*tile)(const float* users, const float* items, std::int64_t stride, int count, int dim,
               float* out);
  /// For each lane l of a group: adds to at_most[l] the scores <= thresholds[l] and to below[l]
  /// those < thresholds[l] in `count` rows kLaneBlock apart.
  void (*count)(const float* scores, int count, const float* thresholds, std::int32_t* at_most,
                std::int32_t* below);
  /// above[i] has bit l set where the score of row i in lane l is greater than thresholds[l]; rows
  /// are kLaneBlock apart.
  void (*above)(const float* scores, int count, const float* thresholds, std::uint64_t* above);
};
static_assert(kLaneBlock == 64, "a row of a block is one word of bits");

/// The variants that this CPU runs, the fastest last.
std::vector<const ScoreKernels*> runnable_score_kernels();

/// The variant for the instruction set that core/cpu.h chose.
const ScoreKernels& score_kernels();

}  // namespace mcns

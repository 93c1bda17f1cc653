// The arithmetic on rows that everything hot is made of. Lengths are multiples of kRowAlign and
// rows are aligned to cache lines (core/matrix.h). Compiled three times, for baseline x86-64, AVX2
// and AVX-512; core/cpu.h picks. Sums have a fixed order on a given machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mcns/core/tail_energy.h"
#include "mcns/core/types.h"
#include "mcns/formulas/losses.h"
#include "mcns/formulas/optimizers.h"

namespace mcns {

/// Rows of a table picked by number.
struct RowList {
  const float* table;
  std::size_t stride;
  const NodeId* rows;
  int count;
};

/// An entry of a sparse matrix.
struct Arc {
  NodeId row, column;
  float value;
};

/// A few pairs with their negatives, for a step of descent with a learning rate and no state.
struct SkipGramPairs {
  float* table;
  std::size_t stride;
  const NodeId* rows;   ///< per pair: the source's row, then those of its targets
  int pairs, width;     ///< targets of a pair: the positive, then negatives; 16 in all at most
  const float* signs;   ///< 16: -1 for a positive, 1 for a negative, 0 for what is not there
  const NodeId* ahead;  ///< rows that are wanted next
  int ahead_count;
  float rate, l2;
};

/// Losses of `pairs` pairs, scores of n targets each, one after the other in s: returns their sum
/// and puts dL/ds in place of the scores. `weight`: of the negatives of one pair, or null.
using LossOfPairs = double (*)(const void* loss, float* s, const float* weight, int pairs, int n);

/// A target's place in a pair: its gradient is `value` times the vector of the pair's source.
struct Slope {
  NodeId source;  ///< row of the vectors
  float value;    ///< dL/ds
};

/// Pairs to be scored, those of a source one after the other. Arrays are by the pair's number.
struct PairWork {
  const float* vectors;
  std::size_t stride;
  const std::int32_t* order;            ///< numbers of the pairs
  int pairs, width;                     ///< width: targets of a pair, the positive first
  const NodeId *sources, *targets;      ///< rows of the vectors; targets: width a pair
  const std::int32_t* slots;            ///< of the source of a pair, in `gradients`
  const float *weights, *pair_weights;  ///< of negatives, of pairs; null where all are 1
  LossOfPairs loss;
  const void* loss_state;
  float l2;
  Slope* slopes;     ///< out: width a pair
  float* scores;     ///< out, width a pair, or null
  float* gradients;  ///< out: of the sources
  float* scratch;    ///< width floats
};

/// Rows whose gradients are sums over places of pairs: groups of them.
struct TargetWork {
  const float* table;    ///< of the rows' own vectors
  const float* vectors;  ///< of the sources
  std::size_t stride;
  int groups;
  const NodeId* rows;          ///< of the groups
  const std::int32_t* first;   ///< of a group, in `places`; ends with a count
  const std::int32_t* places;  ///< pair * width + target
  const Slope* slopes;         ///< by place
  int width;
  const float* pair_weights;  ///< a pair that weighs 0 counts for nothing; null where all are 1
  float l2;
  const std::int32_t* source_slot;  ///< of a row, in `source_gradients`; -1: it is no source
  float* source_gradients;          ///< are added to
  /// Takes the gradient of a row that is no source.
  void (*done)(const void* context, NodeId row, const float* gradient);
  const void* context;
  float* scratch;  ///< a row
};

/// c = a b, or c += a b where `add` is set, with `inner` terms; element (i, k) of a is a[i * a_row
/// + k * a_inner], so a may be the transpose of what is stored. Nothing needs to be aligned or
/// padded. inner > 0.
struct Product {
  float* c;
  std::ptrdiff_t c_stride;
  const float* a;
  std::ptrdiff_t a_row, a_inner;
  const float* b;
  std::ptrdiff_t b_stride;
  int rows, columns, inner;
  bool add = false;
};

/// Terms of a softmax whose sum `softmax_terms` gives as one number.
inline constexpr int kSoftmaxBlock = 64;

/// A step of many chains, each with a target of its own, and the sets of targets that they may not
/// visit: an ExclusionSketch each, in three arrays, over `words`. A chain moves as
/// core/metropolis.h decides. Where that is not certain the chain stays, and is listed in `asks`;
/// returns whether there is one.
struct ChainSteps {
  int count;  ///< a multiple of 16
  NodeId* nodes;
  float* energies;
  const NodeId* to;
  const float *to_energies, *slacks;
  const std::uint32_t *words, *offsets, *multipliers, *shifts;
  NodeId first_target;
  std::uint32_t* asks;
};

/// A set of unordered pairs of nodes. Four bits of a word mark a pair, and now and then
/// one that is not there.
struct PairSet {
  std::uint32_t* words;
  int shift;  ///< there are 2^(32 - shift) words

  struct Place {
    std::uint32_t word, mask;
  };
  Place place(NodeId x, NodeId y) const {
    const auto low = static_cast<std::uint32_t>(x < y ? x : y);
    const auto high = static_cast<std::uint32_t>(x < y ? y : x);
    std::uint32_t hash = low * 0x9e3779b1U + high * 0x85ebca77U;
    hash = (hash ^ hash >> 15) * 0xc2b2ae3dU;
    const std::uint32_t more = (hash ^ hash >> 16) * 0x27d4eb2fU;
    return {hash >> shift, 1U << (more >> 27) | 1U << ((more >> 22) & 31) |
                               1U << ((more >> 17) & 31) | 1U << ((more >> 12) & 31)};
  }
};

/// A score so low that its exponential is 0 beside any other.
inline constexpr float kNoScore = -3e38F;

struct Kernels {
  const char* name;
  float (*dot)(const float* a, const float* b, int n);
  /// out[i] = a . list[i]
  void (*dots)(const float* a, RowList list, int n, float* out);
  /// out[i] = rows[i] . columns[i], as many of both; the same sums as dots
  void (*paired_dots)(RowList rows, RowList columns, int n, float* out);
  /// out[i * columns.count + j] = rows[i] . columns[j]; the same sums as dots
  void (*products)(RowList rows, RowList columns, int n, float* out);
  /// out[i] = -power * log F(scores[i]), to about 1e-6
  void (*tail_energies)(const float* scores, TailShape shape, int n, float* out);
  /// out[i] = -power * log(max(scores[i], floor)), to about 1e-6; floor > 0
  void (*log_energies)(const float* scores, float floor, float power, int n, float* out);
  /// x[i] = exp((x[i] - the largest x) * scale), to about 1e-6, and 0 exactly where that is below
  /// exp(-87) or x[i] is -infinity; sums[b] = the sum of the b-th kSoftmaxBlock of them. Needs a
  /// finite x and scale > 0
  void (*softmax_terms)(float* x, int n, float scale, float* sums);
  /// out[j * count + i] = the j-th of the first k numbers of stream names[i] (core/rng.h)
  void (*stream_numbers)(std::uint64_t prefix, const std::uint64_t* names, int count, int k,
                         std::uint64_t* out);
  /// The same of streams in states[i]
  void (*next_numbers)(const std::uint64_t* states, int count, int k, std::uint64_t* out);
  /// out[i] = -log u, u uniform from the i-th number of a stream (core/rng.h) in state `state`
  void (*exponentials)(std::uint64_t state, int n, float* out);
  /// The same of streams in states[i]: out[j * count + i], j < k
  void (*next_exponentials)(const std::uint64_t* states, int count, int k, float* out);
  /// A Metropolis-Hastings step of many chains
  bool (*metropolis)(const ChainSteps& steps);
  /// out[i] = 1 if x[i] and y[i] may be a pair of the set, else 0; returns whether there is a 1
  bool (*may_be_pairs)(PairSet set, const NodeId* x, const NodeId* y, int n, std::uint32_t* out);
  /// y += x * a
  void (*axpy)(float* y, float a, const float* x, int n);
  /// y += sum of coefficients[i] * list[i], in order
  void (*accumulate)(float* y, RowList list, const float* coefficients, int n);
  /// y = the same sum
  void (*combine)(float* y, RowList list, const float* coefficients, int n);
  /// row `arc.column` of y += arc.value * row `arc.row` of x, one arc after the other; rows of n
  void (*scatter)(float* y, const Arc* arcs, std::size_t count, const float* x, int n);
  /// Terms of the loss, to about 1e-6, as LossOfPairs; NaN or infinite if a score was
  double (*logistic_losses)(const Logistic& loss, float* s, int pairs, int n);
  /// Scores the pairs, then updates their rows one pair after the other, while these are in the
  /// nearest cache; asks for those of the next call meanwhile. Returns the loss as it was before
  /// the step; NaN or infinite if a score was.
  float (*skip_gram)(const Logistic& loss, const Sgd& optimizer, const SkipGramPairs& pairs, int n);
  /// Scores, slopes, and gradients of the sources; returns the loss
  double (*score_pairs)(const PairWork& work, int n);
  void (*sum_targets)(const TargetWork& work, int n);
  /// A step of an optimizer on a row; its state is kSlots pieces of n
  void (*sgd)(const Sgd& optimizer, float* w, const float* g, float* state, float rate, int n);
  void (*adagrad)(const Adagrad& optimizer, float* w, const float* g, float* state, float rate,
                  int n);
  void (*adam)(const Adam& optimizer, float* w, const float* g, float* state, float rate, int n);
  /// whether any of n numbers is NaN or infinite
  bool (*any_not_finite)(const float* x, int n);
  void (*multiply)(const Product& product);
  /// The highest of n scores, n > 0
  float (*maximum)(const float* s, int n);
  /// s[i] = exp(s[i] - top), to about 1e-6 and 0 where it is below 1e-37; returns their sum
  float (*exponentiate)(const Softmax& loss, float* s, float top, int n);
};

/// Those that this CPU runs, the fastest last.
std::vector<const Kernels*> runnable_kernels();

/// Those for the instruction set that core/cpu.h chose.
const Kernels& kernels();

}  // namespace mcns

// The arithmetic on rows that everything hot is made of. Lengths are multiples of kRowAlign and
// rows are aligned to cache lines (core/matrix.h). Compiled three times, for baseline x86-64, AVX2
// and AVX-512; core/cpu.h picks. Sums have a fixed order on a given machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mcns/core/tail_energy.h"
#include "mcns/core/types.h"

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

/// A few pairs with their negatives, and what a step of descent on the logistic loss needs.
struct LogisticPairs {
  float* table;
  std::size_t stride;
  const NodeId* rows;   ///< per pair: the source's row, then those of its targets
  int pairs, width;     ///< targets of a pair: the positive, then negatives; 16 in all at most
  const float* signs;   ///< 16: -1 for a positive, 1 for a negative, 0 for what is not there
  const NodeId* ahead;  ///< rows that are wanted next
  int ahead_count;
  float margin, lr, keep;  ///< keep = 1 - lr * l2
};

/// c = a b with `inner` terms; element (i, k) of a is a[i * a_row + k * a_inner], so a may be the
/// transpose of what is stored. Nothing needs to be aligned or padded. inner > 0.
struct Product {
  float* c;
  std::ptrdiff_t c_stride;
  const float* a;
  std::ptrdiff_t a_row, a_inner;
  const float* b;
  std::ptrdiff_t b_stride;
  int rows, columns, inner;
};

struct AdamRates {
  float lr;            ///< bias-corrected step
  float beta1, beta2;  ///< decay of the moments
  float epsilon;
};

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
  /// x[i] = sigmoid(x[i]); returns the sum of softplus(x[i]) of before, to about 1e-6; NaN or
  /// infinite if one of x was
  float (*softplus_sum)(float* x, int n);
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
  /// Scores the pairs, then updates their rows one pair after the other, while these are in the
  /// nearest cache; asks for those of the next call meanwhile. The loss is the sum of
  /// softplus(margin - score) over positives and softplus(score - margin) over negatives; returned
  /// as it was before the step; NaN or infinite if a score was.
  float (*logistic_step)(const LogisticPairs& pairs, int n);
  /// w -= lr * g
  void (*sgd)(float* w, const float* g, float lr, int n);
  /// sum += g^2, w -= lr * g / (sqrt(sum) + epsilon)
  void (*adagrad)(float* w, const float* g, float* sum, float lr, float epsilon, int n);
  /// first and second moments, then the step
  void (*adam)(float* w, const float* g, float* first, float* second, AdamRates rates, int n);
  /// whether any of n numbers is NaN or infinite
  bool (*any_not_finite)(const float* x, int n);
  void (*multiply)(const Product& product);
};

/// Those that this CPU runs, the fastest last.
std::vector<const Kernels*> runnable_kernels();

/// Those for the instruction set that core/cpu.h chose.
const Kernels& kernels();

}  // namespace mcns

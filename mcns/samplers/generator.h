// The generator of IRGAN and KBGAN: tables g (sources) and h (targets) of its own, and the policy
// p(u|v) = softmax over a set C of targets of g_v.h_u / temperature.
//
// REINFORCE (Williams 1992) with the running mean reward b as baseline ascends the expected reward
// by
//   sum over draws of (r - b) grad log p(u|v).
// With advantages a_j of draws u_j from one set, A = sum a_j and c_x = sum_j a_j [u_j = x] - A p(x)
// for x in C, the gradient is (1/t) sum_x c_x h_x for g_v and (1/t) c_x g_v for each h_x: what
// `signal` computes. Steps by Adagrad.
//
// The default rate is the best of four on one dataset and one seed (ml-100k, kbgan, MRR on valid:
// 0.058, 0.074, 0.085, 0.090 at 0.05, 0.01, 0.003, 0.001) and the smallest of them. RNS, which is
// rate 0, has 0.089 there, so this does not show that the generator helps. irgan's rate was not
// tuned.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/world.h"

namespace mcns {

struct GeneratorOptions {
  double lr = 1e-3, temperature = 1.0;
};
std::vector<ParameterInfo> generator_parameters();
GeneratorOptions read_generator(const Parameters& parameters);
/// Of the tables, their state, and a batch's gradients of the sources.
std::uint64_t generator_table_bytes(const SamplerSizes& sizes);

/// Rows of the two tables and their gradients of the expected reward, row i of a matrix for
/// rows[i].
struct GeneratorGradient {
  std::vector<NodeId> source_rows, target_rows;
  Matrix source, target;
};

class Generator {
 public:
  Generator(const SamplerContext& context, const GeneratorOptions& options);

  /// Probabilities of `rows` (targets counted from the first one), for one source.
  void policy(NodeId source, std::span<const NodeId> rows, std::span<float> out) const;
  /// The logarithm of the same for rows[at], however small.
  double log_policy(NodeId source, std::span<const NodeId> rows, std::size_t at) const;
  /// c_x / t as above, from p in place: `rows` are the set, `drawn` the draws.
  void signal(std::span<const NodeId> rows, std::span<const NodeId> drawn,
              std::span<const float> advantages, std::span<float> p) const;
  void ascend(const GeneratorGradient& gradient, ThreadPool& pool);

  /// r - b for each reward, then b moves towards their mean.
  void advantages(std::span<float> rewards);

  const Matrix& sources() const { return source_; }
  const Matrix& targets() const { return target_; }
  float inverse_temperature() const { return static_cast<float>(1 / options_.temperature); }
  double baseline() const { return baseline_; }
  void visit_state(Archive& archive);

 private:
  void score(NodeId source, std::span<const NodeId> rows, float* out) const;

  GeneratorOptions options_;
  Matrix source_, target_, source_squares_, target_squares_;
  double baseline_ = 0;
  std::int64_t batches_ = 0;
};

/// A matrix of at least `rows` rows, zero in the first ones; grows only.
void zero_rows(Matrix& matrix, std::int64_t rows, int dim);

/// The policy over all allowed targets from the two tables, in double: softmax(g.h / temperature).
Distribution policy_by_hand(const SelftestWorld& world, NodeId source, const Generator& generator,
                            double temperature);

/// The first vectors of a generator are short, so only a low temperature is far from uniform.
inline constexpr double kSelftestTemperature = 0.004;

}  // namespace mcns

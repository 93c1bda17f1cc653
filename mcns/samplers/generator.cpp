#include "mcns/samplers/generator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

constexpr std::uint64_t kSourceTable = 0x67656e31, kTargetTable = 0x67656e32;
constexpr double kInitialLength = 0.1;
constexpr double kBaselineStep = 0.01;  // of later batches; the first hundred make a plain mean

Matrix initial(std::int64_t rows, int dim, std::uint64_t seed, std::uint64_t table) {
  Matrix out(rows, dim);
  const Streams streams(seed, Domain::kState, table);
  for (std::int64_t i = 0; i < rows; ++i) {
    Rng rng = streams.at(static_cast<std::uint64_t>(i));
    for (int d = 0; d < dim; ++d)
      out.row(i)[d] = static_cast<float>(rng.normal() * kInitialLength / std::sqrt(dim));
  }
  return out;
}

}  // namespace

std::vector<ParameterInfo> generator_parameters() {
  return {number_parameter("lr", "0.001", {0, 10}, "learning rate of the generator")
              .tuned_by_factor(0.1, 10),
          number_parameter("temperature", "1", {1e-3, 1e3}, "divides the generator's scores")};
}

GeneratorOptions read_generator(const Parameters& parameters) {
  return {parameters.number("lr"), parameters.number("temperature")};
}

std::uint64_t generator_table_bytes(const SamplerSizes& sizes) {
  const Graph& graph = sizes.graph;
  const auto sources = static_cast<std::uint64_t>(graph.sources().size()),
             targets = static_cast<std::uint64_t>(graph.targets().size());
  // Two tables with as much state, and the gradients of a batch's sources.
  return (2 * (sources + targets) + std::min(sources, sizes.batch)) * sizes.row_bytes();
}

Distribution policy_by_hand(const SelftestWorld& world, NodeId source, const Generator& generator,
                            double temperature) {
  const NodeId first = world.graph().targets().begin;
  return distribution_of_weights(world, source, [&](NodeId v) {
    double product = 0;
    for (int d = 0; d < generator.sources().dim(); ++d)
      product += double(generator.sources().row(source)[d]) * generator.targets().row(v - first)[d];
    return std::exp(product / temperature);
  });
}

Generator::Generator(const SamplerContext& context, const GeneratorOptions& options)
    : options_(options),
      source_(initial(context.graph.sources().end, context.dim, context.seed, kSourceTable)),
      target_(initial(context.graph.targets().size(), context.dim, context.seed, kTargetTable)),
      source_squares_(source_.rows(), context.dim),
      target_squares_(target_.rows(), context.dim) {}

void Generator::score(NodeId source, std::span<const NodeId> rows, float* out) const {
  kernels().dots(source_.row(source),
                 {target_.data(), static_cast<std::size_t>(target_.stride()), rows.data(),
                  static_cast<int>(rows.size())},
                 target_.stride(), out);
}

double Generator::log_policy(NodeId source, std::span<const NodeId> rows, std::size_t at) const {
  std::vector<float> scores(rows.size());
  score(source, rows, scores.data());
  const double scale = 1 / options_.temperature;
  const double top = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (const float s : scores) total += std::exp((s - top) * scale);
  return (scores[at] - top) * scale - std::log(total);
}

void Generator::policy(NodeId source, std::span<const NodeId> rows, std::span<float> out) const {
  const auto count = static_cast<int>(rows.size());
  score(source, rows, out.data());
  std::vector<float> sums((count + kSoftmaxBlock - 1) / kSoftmaxBlock);
  kernels().softmax_terms(out.data(), count, inverse_temperature(), sums.data());
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  const auto norm = static_cast<float>(1 / total);
  for (float& x : out) x *= norm;
}

void Generator::signal(std::span<const NodeId> rows, std::span<const NodeId> drawn,
                       std::span<const float> advantages, std::span<float> p) const {
  const float scale = inverse_temperature();
  float total = 0;
  for (const float a : advantages) total += a;
  for (float& x : p) x *= -total * scale;
  for (std::size_t j = 0; j < drawn.size(); ++j) {
    // A target that is in the set twice has one row, so any of its places will do.
    const auto at = std::find(rows.begin(), rows.end(), drawn[j]);
    p[at - rows.begin()] += advantages[j] * scale;
  }
}

void Generator::ascend(const GeneratorGradient& gradient, ThreadPool& pool) {
  const auto step = [&](std::span<const NodeId> rows, const Matrix& g, Matrix& w, Matrix& squares) {
    pool.for_ranges(static_cast<std::int64_t>(rows.size()), 256, [&](std::int64_t from, auto to) {
      // A negative rate: the kernel descends.
      for (std::int64_t i = from; i < to; ++i)
        kernels().adagrad({.epsilon = 1e-6F}, w.row(rows[i]), g.row(i), squares.row(rows[i]),
                          static_cast<float>(-options_.lr), w.stride());
    });
  };
  step(gradient.source_rows, gradient.source, source_, source_squares_);
  step(gradient.target_rows, gradient.target, target_, target_squares_);
}

void Generator::advantages(std::span<float> rewards) {
  if (rewards.empty()) return;
  double mean = 0;
  for (const float r : rewards) mean += r;
  mean /= static_cast<double>(rewards.size());
  if (batches_ == 0) baseline_ = mean;
  for (float& r : rewards) r -= static_cast<float>(baseline_);
  ++batches_;
  baseline_ += (mean - baseline_) * std::max(kBaselineStep, 1.0 / static_cast<double>(batches_));
}

void Generator::visit_state(Archive& archive) {
  archive("generator.source", source_);
  archive("generator.target", target_);
  archive("generator.source_squares", source_squares_);
  archive("generator.target_squares", target_squares_);
  archive("generator.baseline", baseline_);
  archive("generator.batches", batches_);
  if (!archive.is_loading()) return;
  require_squares("generator.source_squares", source_squares_, source_squares_.dim());
  require_squares("generator.target_squares", target_squares_, target_squares_.dim());
  if (!std::isfinite(baseline_) || batches_ < 0)
    throw_error(ErrorKind::kData,
                "the generator of the saved state has the baseline {} after {} batches", baseline_,
                batches_);
}

void zero_rows(Matrix& matrix, std::int64_t rows, int dim) {
  if (matrix.rows() < rows) {
    matrix = Matrix(rows, dim);
    return;
  }
  std::fill_n(matrix.data(), rows * matrix.stride(), 0.0F);
}

}  // namespace mcns

// IRGAN (Wang et al. 2017): a generator over all allowed targets, p(u|v) = softmax(g_v.h_u / t),
// taught by REINFORCE with baseline (generator.h); the reward of a negative is the discriminator's
// log(1 + exp(s)), s the score the model gives it.
//
// Drawing costs n products per source and batch, shared by its pairs, and O(log n) a negative;
// learning three times that. Sources are taken a few at a time, so that memory is 4 n bytes for
// each of them and not for the batch. log q is exact, by n products. State: two tables and their
// Adagrad sums.
#include "mcns/samplers/irgan.h"

#include <cmath>
#include <limits>

#include "mcns/core/scalar_math.h"
#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {

void Irgan::sample(const SampleRequest& request, const Negatives& out) {
  const Streams streams = request.streams();
  std::vector<NodeId> rows;
  std::vector<float> p;
  std::vector<double> cumulative;
  for_each_source(request, [&](NodeId source, std::span<const std::int32_t> members) {
    policy(source, rows, p);
    cumulative.resize(p.size());
    double total = 0;
    for (std::size_t i = 0; i < p.size(); ++i) cumulative[i] = total += p[i];
    for (const std::int32_t i : members) {
      Rng rng = streams.at(request.serials[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j) ids[j] = first_ + rows[draw_cumulative(cumulative, rng)];
    }
  });
}

void Irgan::policy(NodeId source, std::vector<NodeId>& rows, std::vector<float>& p) const {
  list_allowed(exclusion_, source, rows);
  for (NodeId& v : rows) v -= first_;
  p.resize(rows.size());
  generator_.policy(source, rows, p);
}

void Irgan::feedback(const Feedback& feedback) {
  const int k = feedback.negatives.k;
  rewards_.resize(feedback.negatives.ids.size());
  for (std::size_t i = 0; i < rewards_.size(); ++i)
    rewards_[i] = softplus(feedback.scores[i / k * (k + 1) + 1 + i % k]);
  generator_.advantages(rewards_);
  compute_gradient(feedback, rewards_, gradient_);
  generator_.ascend(gradient_, feedback.pool);
}

void Irgan::compute_gradient(const Feedback& feedback, std::span<const float> advantages,
                             GeneratorGradient& out) {
  const Matrix& targets = generator_.targets();
  const auto n = targets.rows();
  keys_.clear();
  for (const Pair& pair : feedback.pairs) keys_.push_back(pair.source);
  groups_.build(keys_);
  out.source_rows.resize(groups_.size());
  out.target_rows.resize(n);
  for (std::int64_t t = 0; t < n; ++t) out.target_rows[t] = static_cast<NodeId>(t);
  zero_rows(out.source, groups_.size(), targets.dim());
  zero_rows(out.target, n, targets.dim());
  signals_.resize(static_cast<std::size_t>(kSources * n));
  for (std::int32_t from = 0; from < groups_.size(); from += kSources) {
    const std::int32_t to = std::min(groups_.size(), from + kSources);
    feedback.pool.run(to - from, [&](std::int64_t i) {
      add_source(feedback, advantages, from + static_cast<std::int32_t>(i),
                 {signals_.data() + i * n, static_cast<std::size_t>(n)}, out);
    });
    add_targets(from, to, feedback.pool, out);
  }
}

/// One source's signal over all targets, 0 where excluded, and its gradient.
void Irgan::add_source(const Feedback& feedback, std::span<const float> advantages,
                       std::int32_t group, std::span<float> signal, GeneratorGradient& out) const {
  const int k = feedback.negatives.k;
  const NodeId source = groups_.key(group);
  std::vector<NodeId> rows, drawn;
  std::vector<float> p, gains;
  for (const std::int32_t i : groups_.members(group))
    for (int j = 0; j < k; ++j) {
      drawn.push_back(feedback.negatives.ids[static_cast<std::size_t>(i) * k + j] - first_);
      gains.push_back(advantages[static_cast<std::size_t>(i) * k + j]);
    }
  policy(source, rows, p);
  generator_.signal(rows, drawn, gains, p);
  std::fill(signal.begin(), signal.end(), 0.0F);
  for (std::size_t i = 0; i < rows.size(); ++i) signal[rows[i]] = p[i];
  out.source_rows[group] = source;
  const Matrix& targets = generator_.targets();
  kernels().accumulate(out.source.row(group),
                       {targets.data(), static_cast<std::size_t>(targets.stride()), rows.data(),
                        static_cast<int>(rows.size())},
                       p.data(), targets.stride());
}

/// The targets' gradients from the sources [from, to), in their order.
void Irgan::add_targets(std::int32_t from, std::int32_t to, ThreadPool& pool,
                        GeneratorGradient& out) const {
  const Matrix& sources = generator_.sources();
  const auto n = generator_.targets().rows();
  NodeId rows[kSources];
  for (std::int32_t g = from; g < to; ++g) rows[g - from] = groups_.key(g);
  pool.for_ranges(n, 512, [&](std::int64_t begin, std::int64_t end) {
    float coefficients[kSources];
    for (std::int64_t t = begin; t < end; ++t) {
      for (std::int32_t i = 0; i < to - from; ++i) coefficients[i] = signals_[i * n + t];
      kernels().accumulate(
          out.target.row(t),
          {sources.data(), static_cast<std::size_t>(sources.stride()), rows, to - from},
          coefficients, sources.stride());
    }
  });
}

std::optional<LogProbability> Irgan::log_q(NodeId source, NodeId target, const Scorer&) const {
  if (exclusion_.excluded(source, target))
    return LogProbability{-std::numeric_limits<double>::infinity(), true};
  std::vector<NodeId> rows;
  std::vector<float> p;
  policy(source, rows, p);
  const auto at = std::lower_bound(rows.begin(), rows.end(), target - first_) - rows.begin();
  return LogProbability{std::log(p[at]), true};
}

SamplerEntry irgan_sampler() {
  SamplerEntry entry{
      {"irgan", "a generator over all targets, taught by reward", generator_parameters()}};
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<Irgan>(context, read_generator(p));
  };
  entry.bytes = [](const Parameters&, const SamplerSizes& s) {
    const auto targets = static_cast<std::uint64_t>(s.graph.targets().size());
    return MemoryNote{"a generator: tables, their state, gradients",
                      generator_table_bytes(s) +
                          targets * (s.row_bytes() + (Irgan::kSources + 1) * sizeof(float))};
  };
  entry.cases = [] {
    const auto expected = [](const SelftestWorld& world, Pair pair, const NegativeSampler& made) {
      return policy_by_hand(world, pair.source, static_cast<const Irgan&>(made).generator(),
                            kSelftestTemperature);
    };
    const std::string spec = fmt::format("irgan:temperature={}", kSelftestTemperature);
    return std::vector<SelftestCase>{{spec, expected}, {spec, expected, 3, WorldKind::kUndirected}};
  };
  return entry;
}

}  // namespace mcns

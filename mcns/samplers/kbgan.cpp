// KBGAN (Cai and Wang 2018): T targets drawn uniformly per positive, one of them taken with
// probability softmax(g_v.h_u / t) by a generator that REINFORCE with baseline teaches
// (generator.h); the reward of a negative is the discriminator's score of it. A pair's k negatives
// come from one set of T, drawn with replacement.
//
// T / k products a negative to draw, twice that to learn; 8 T bytes a pair of the batch. The
// distribution has no closed form; log q is an estimate by n products: u is among the T with T / n
// chances and competes with T - 1 average targets, q = T/n e_u / (e_u + (T-1) mean of e), e =
// exp(g.h / t). State: two tables and their Adagrad sums.
#include "mcns/samplers/kbgan.h"

#include <cmath>
#include <limits>

#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {

void Kbgan::begin_batch(const SampleRequest& request) {
  rows_.resize(request.pairs.size() * candidates_);
  policies_.resize(rows_.size());
}

void Kbgan::sample(const SampleRequest& request, const Negatives& out) {
  const Streams streams = request.streams();
  std::vector<double> cumulative(candidates_);
  for (const std::int32_t i : request.members) {
    const NodeId source = request.pairs[i].source;
    Rng rng = streams.at(request.serials[i]);
    const auto rows = std::span(rows_).subspan(std::size_t(i) * candidates_, candidates_);
    const auto p = std::span(policies_).subspan(std::size_t(i) * candidates_, candidates_);
    for (NodeId& v : rows) v = exclusion_.draw_uniform(source, rng) - first_;
    generator_.policy(source, rows, p);
    double total = 0;
    for (int c = 0; c < candidates_; ++c) cumulative[c] = total += p[c];
    NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
    for (int j = 0; j < out.k; ++j) ids[j] = first_ + rows[draw_cumulative(cumulative, rng)];
  }
}

void Kbgan::feedback(const Feedback& feedback) {
  const int k = feedback.negatives.k;
  rewards_.resize(feedback.negatives.ids.size());
  for (std::size_t i = 0; i < rewards_.size(); ++i)
    rewards_[i] = feedback.scores[i / k * (k + 1) + 1 + i % k];
  generator_.advantages(rewards_);
  compute_gradient(feedback, rewards_, gradient_);
  generator_.ascend(gradient_, feedback.pool);
}

void Kbgan::compute_gradient(const Feedback& feedback, std::span<const float> advantages,
                             GeneratorGradient& out) {
  const int k = feedback.negatives.k;
  const auto pairs = static_cast<std::int64_t>(feedback.pairs.size());
  feedback.pool.for_ranges(pairs, 256, [&](std::int64_t from, std::int64_t to) {
    std::vector<NodeId> drawn(k);
    for (std::int64_t i = from; i < to; ++i) {
      for (int j = 0; j < k; ++j) drawn[j] = feedback.negatives.ids[i * k + j] - first_;
      generator_.signal(candidates(i), drawn, advantages.subspan(i * k, k),
                        std::span(policies_).subspan(i * candidates_, candidates_));
    }
  });
  keys_.clear();
  for (const Pair& pair : feedback.pairs) keys_.push_back(pair.source);
  sources_.build(keys_);
  targets_.build(rows_);
  source_gradients(feedback.pool, out);
  target_gradients(feedback.pairs, feedback.pool, out);
}

void Kbgan::source_gradients(ThreadPool& pool, GeneratorGradient& out) const {
  const Matrix& targets = generator_.targets();
  out.source_rows.resize(sources_.size());
  zero_rows(out.source, sources_.size(), targets.dim());
  pool.for_ranges(sources_.size(), 16, [&](std::int64_t from, std::int64_t to) {
    for (auto g = static_cast<std::int32_t>(from); g < to; ++g) {
      out.source_rows[g] = sources_.key(g);
      for (const std::int32_t i : sources_.members(g))
        kernels().accumulate(out.source.row(g),
                             {targets.data(), static_cast<std::size_t>(targets.stride()),
                              candidates(i).data(), candidates_},
                             policies_.data() + std::size_t(i) * candidates_, targets.stride());
    }
  });
}

void Kbgan::target_gradients(std::span<const Pair> pairs, ThreadPool& pool,
                             GeneratorGradient& out) const {
  const Matrix& sources = generator_.sources();
  out.target_rows.resize(targets_.size());
  zero_rows(out.target, targets_.size(), sources.dim());
  pool.for_ranges(targets_.size(), 64, [&](std::int64_t from, std::int64_t to) {
    std::vector<NodeId> rows;
    std::vector<float> coefficients;
    for (auto g = static_cast<std::int32_t>(from); g < to; ++g) {
      out.target_rows[g] = targets_.key(g);
      rows.clear();
      coefficients.clear();
      for (const std::int32_t place : targets_.members(g)) {
        rows.push_back(pairs[place / candidates_].source);
        coefficients.push_back(policies_[place]);
      }
      kernels().accumulate(out.target.row(g),
                           {sources.data(), static_cast<std::size_t>(sources.stride()), rows.data(),
                            static_cast<int>(rows.size())},
                           coefficients.data(), sources.stride());
    }
  });
}

std::optional<LogProbability> Kbgan::log_q(NodeId source, NodeId target, const Scorer&) const {
  if (exclusion_.excluded(source, target))
    return LogProbability{-std::numeric_limits<double>::infinity(), false};
  std::vector<NodeId> rows;
  list_allowed(exclusion_, source, rows);
  for (NodeId& v : rows) v -= first_;
  std::vector<float> p(rows.size());
  generator_.policy(source, rows, p);
  const auto at = std::lower_bound(rows.begin(), rows.end(), target - first_) - rows.begin();
  // The policy over all targets is e over its sum: its mean is 1 / n.
  const auto n = static_cast<double>(rows.size());
  const double share = p[at] / (p[at] + (candidates_ - 1) / n);
  return LogProbability{std::log(candidates_ / n * share), false};
}

namespace {

/// The policy within each of the n^2 pairs of candidates, averaged.
Distribution best_of_pairs(const SelftestWorld& world, Pair pair, const NegativeSampler& made) {
  const Distribution policy = policy_by_hand(
      world, pair.source, static_cast<const Kbgan&>(made).generator(), kSelftestTemperature);
  Distribution out;
  for (const auto& [a, weight_a] : policy)
    for (const auto& [b, weight_b] : policy) {
      out[a] += weight_a / (weight_a + weight_b);
      out[b] += weight_b / (weight_a + weight_b);
    }
  return normalised(std::move(out));
}

MemoryNote kbgan_bytes(const Parameters& p, const SamplerSizes& s) {
  // A pair's candidates: row, policy, and their grouping by row.
  const auto targets = static_cast<std::uint64_t>(s.graph.targets().size());
  const std::uint64_t places = s.batch * static_cast<std::uint64_t>(p.integer("candidates"));
  return {"a generator: tables, their state, gradients",
          generator_table_bytes(s) + std::min(targets, places) * s.row_bytes() +
              places * 4 * sizeof(float)};
}

}  // namespace

SamplerEntry kbgan_sampler() {
  SamplerEntry entry{{"kbgan",
                      "a generator that chooses among uniform candidates, taught by reward",
                      generator_parameters()}};
  entry.parameters.insert(entry.parameters.begin(),
                          integer_parameter("candidates", "100", {1, 10'000}, "drawn per positive")
                              .tuned({20, 400}, Scale::kLog));
  entry.harder = true;
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    return std::make_unique<Kbgan>(context, read_generator(p), p.small("candidates"));
  };
  entry.bytes = kbgan_bytes;
  entry.cases = [] {
    const std::string spec = fmt::format("kbgan:candidates=2,temperature={}", kSelftestTemperature);
    return std::vector<SelftestCase>{{spec, best_of_pairs},
                                     {spec, best_of_pairs, 3, WorldKind::kUndirected}};
  };
  return entry;
}

}  // namespace mcns

// IRGAN (Wang et al. 2017): a generator over all allowed targets, p(u|v) = softmax(g_v.h_u / t),
// taught by REINFORCE with baseline (generator.h); the reward of a negative is the discriminator's
// log(1 + exp(s)), s the score the model gives it.
//
// Scores and gradients are matrix products over tiles of sources and of targets (full_policy.h): n
// d multiplications per source and batch to draw, shared by its pairs, and 2 n d to learn; O(n /
// 64) a negative. log q is exact, from the batch's rows where they are kept, else by n products.
// State: two tables and their Adagrad sums.
#include "mcns/samplers/irgan.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "mcns/core/scalar_math.h"
#include "mcns/samplers/enumerate.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"

namespace mcns {

void Irgan::sample(const SampleRequest& request, const Negatives& out) {
  const Streams streams = request.streams();
  const RowGroups& sources = policy_.sources();
  std::vector<std::int32_t> numbers;
  std::vector<std::span<const std::int32_t>> pairs;
  for_each_source(request, [&](NodeId, std::span<const std::int32_t> members) {
    numbers.push_back(sources.slot(members[0]));
    pairs.push_back(members);
  });
  std::vector<float> scratch;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = last) {
    // Those in a row are one product.
    const bool kept = numbers[first] < policy_.kept();
    for (last = first + 1; last < numbers.size() && last - first < FullPolicy::kTile; ++last)
      if (numbers[last] != numbers[last - 1] + 1 || (numbers[last] < policy_.kept()) != kept) break;
    if (!kept) scratch.resize(FullPolicy::kTile * static_cast<std::size_t>(policy_.stride()));
    float* rows = kept ? policy_.row(numbers[first]) : scratch.data();
    const auto draw = [&](std::int32_t number, const float* row, auto cumulative) {
      for (const std::int32_t i : pairs[first + number - numbers[first]]) {
        Rng rng = streams.at(request.serials[i]);
        NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
        for (int j = 0; j < out.k; ++j)
          ids[j] = first_ + policy_.draw(request.pairs[i].source, row, cumulative, rng);
      }
    };
    policy_.make(numbers[first], numbers[first] + static_cast<std::int32_t>(last - first), rows,
                 draw);
  }
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
  if (!policy_.holds(feedback.pairs)) policy_.begin(feedback.pairs);
  const RowGroups& sources = policy_.sources();
  const Matrix& targets = generator_.targets();
  out.source_rows.assign(sources.keys().begin(), sources.keys().end());
  out.target_rows.resize(targets.rows());
  std::iota(out.target_rows.begin(), out.target_rows.end(), 0);
  zero_rows(out.source, sources.size(), targets.dim());
  zero_rows(out.target, targets.rows(), targets.dim());
  for (std::int32_t from = 0; from < sources.size(); from += policy_.kept()) {
    const std::int32_t to = std::min(sources.size(), from + policy_.kept());
    feedback.pool.for_ranges(to - from, FullPolicy::kTile, [&](std::int64_t first, auto last) {
      add_sources(feedback, advantages, from + static_cast<std::int32_t>(first),
                  from + static_cast<std::int32_t>(last), out);
    });
    add_targets(from, to, feedback.pool, out);
  }
  policy_.forget();
}

/// The signals of the sources [first, last) over all targets, in place of their rows, 0 where
/// excluded, and their gradients.
void Irgan::add_sources(const Feedback& feedback, std::span<const float> advantages,
                        std::int32_t first, std::int32_t last, GeneratorGradient& out) {
  const int k = feedback.negatives.k;
  const float scale = generator_.inverse_temperature();
  const Matrix& targets = generator_.targets();
  policy_.complete(first, last);
  for (std::int32_t s = first; s < last; ++s) {
    float* signal = policy_.row(s);
    const auto members = policy_.sources().members(s);
    float sum = 0;
    for (const std::int32_t i : members)
      for (int j = 0; j < k; ++j) sum += advantages[static_cast<std::size_t>(i) * k + j];
    const auto factor = static_cast<float>(-sum * scale / policy_.total(s));
    for (std::int64_t t = 0; t < targets.rows(); ++t) signal[t] *= factor;
    for (const std::int32_t i : members)
      for (int j = 0; j < k; ++j) {
        const std::size_t at = static_cast<std::size_t>(i) * k + j;
        signal[feedback.negatives.ids[at] - first_] += advantages[at] * scale;
      }
  }
  kernels().multiply({out.source.row(first), out.source.stride(), policy_.row(first),
                      policy_.stride(), 1, targets.data(), targets.stride(), last - first,
                      targets.stride(), static_cast<int>(targets.rows())});
}

/// The targets' gradients from the signals of the sources [from, to), in their order.
void Irgan::add_targets(std::int32_t from, std::int32_t to, ThreadPool& pool,
                        GeneratorGradient& out) {
  const Matrix& sources = policy_.vectors();
  const int width = sources.stride();
  pool.for_ranges(out.target_rows.size(), kTargets, [&](std::int64_t begin, std::int64_t end) {
    const auto rows = static_cast<int>(end - begin);
    Matrix more = from == 0 ? Matrix() : Matrix(rows, width);
    kernels().multiply({from == 0 ? out.target.row(begin) : more.data(), width,
                        policy_.row(from) + begin, 1, policy_.stride(), sources.row(from), width,
                        rows, width, to - from});
    if (from > 0) kernels().axpy(out.target.row(begin), 1.0F, more.data(), rows * width);
  });
}

std::optional<LogProbability> Irgan::log_q(NodeId source, NodeId target, const Scorer&) const {
  if (exclusion_.excluded(source, target))
    return LogProbability{-std::numeric_limits<double>::infinity(), true};
  if (const double p = policy_.find(source, target); p > 0)
    return LogProbability{std::log(p), true};
  std::vector<NodeId> rows;
  list_allowed(exclusion_, source, rows);
  for (NodeId& v : rows) v -= first_;
  const auto at = std::lower_bound(rows.begin(), rows.end(), target - first_) - rows.begin();
  return LogProbability{generator_.log_policy(source, rows, at), true};
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
    return MemoryNote{"a generator: tables, their state, gradients, policies of a batch",
                      generator_table_bytes(s) + targets * (s.row_bytes() + sizeof(NodeId)) +
                          FullPolicy::bytes(s)};
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

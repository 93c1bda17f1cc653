// IRGAN's sampler; a class in a header so that its gradient can be tested.
#pragma once

#include "mcns/samplers/full_policy.h"

namespace mcns {

class Irgan final : public NegativeSampler {
 public:
  /// `kept_bytes`: of policies, from drawing to learning.
  Irgan(const SamplerContext& context, const GeneratorOptions& options,
        std::int64_t kept_bytes = FullPolicy::kKeptBytes)
      : exclusion_(context.exclusion),
        first_(context.graph.targets().begin),
        generator_(context, options),
        policy_(generator_, exclusion_, kept_bytes) {}

  void begin_batch(const SampleRequest& request) override { policy_.begin(request.pairs); }

  void sample(const SampleRequest& request, const Negatives& out) override;
  bool wants_feedback() const override { return true; }
  void feedback(const Feedback& feedback) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override;
  void visit_state(Archive& archive) override {
    generator_.visit_state(archive);
    if (archive.is_loading()) policy_.forget();
  }
  std::vector<SamplerFigure> figures() const override {
    return {{"mean_reward", generator_.baseline()}};
  }

  /// Of the sum over draws of advantage x log p(draw); `advantages` are in the order of the ids.
  /// Consumes the policies of the batch, where these are its pairs.
  void compute_gradient(const Feedback& feedback, std::span<const float> advantages,
                        GeneratorGradient& out);
  Generator& generator() { return generator_; }
  const Generator& generator() const { return generator_; }

 private:
  static constexpr std::int64_t kTargets = 96;  ///< of a piece of work

  void add_sources(const Feedback& feedback, std::span<const float> advantages, std::int32_t first,
                   std::int32_t last, GeneratorGradient& out);
  void add_targets(std::int32_t from, std::int32_t to, ThreadPool& pool, GeneratorGradient& out);

  const Exclusion& exclusion_;
  NodeId first_;
  Generator generator_;
  FullPolicy policy_;
  GeneratorGradient gradient_;
  std::vector<float> rewards_;
};

}  // namespace mcns

// IRGAN's sampler; a class in a header so that its gradient can be tested.
#pragma once

#include "mcns/core/row_groups.h"
#include "mcns/samplers/generator.h"

namespace mcns {

class Irgan final : public NegativeSampler {
 public:
  Irgan(const SamplerContext& context, const GeneratorOptions& options)
      : exclusion_(context.exclusion),
        first_(context.graph.targets().begin),
        generator_(context, options),
        groups_(context.graph.sources().end) {}

  void sample(const SampleRequest& request, const Negatives& out) override;
  bool wants_feedback() const override { return true; }
  void feedback(const Feedback& feedback) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override;
  void visit_state(Archive& archive) override { generator_.visit_state(archive); }
  std::vector<SamplerFigure> figures() const override {
    return {{"mean_reward", generator_.baseline()}};
  }

  /// Of the sum over draws of advantage x log p(draw); `advantages` are in the order of the ids.
  void compute_gradient(const Feedback& feedback, std::span<const float> advantages,
                        GeneratorGradient& out);
  Generator& generator() { return generator_; }
  const Generator& generator() const { return generator_; }

  static constexpr std::int32_t kSources = 64;  ///< whose policies are kept at a time

 private:
  void policy(NodeId source, std::vector<NodeId>& rows, std::vector<float>& p) const;
  void add_source(const Feedback& feedback, std::span<const float> advantages, std::int32_t group,
                  std::span<float> signal, GeneratorGradient& out) const;
  void add_targets(std::int32_t from, std::int32_t to, ThreadPool& pool,
                   GeneratorGradient& out) const;

  const Exclusion& exclusion_;
  NodeId first_;
  Generator generator_;
  RowGroups groups_;
  GeneratorGradient gradient_;
  std::vector<NodeId> keys_;
  std::vector<float> rewards_, signals_;
};

}  // namespace mcns

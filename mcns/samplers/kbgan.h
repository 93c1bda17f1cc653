// KBGAN's sampler; a class in a header so that its gradient can be tested.
#pragma once

#include "mcns/core/row_groups.h"
#include "mcns/samplers/generator.h"

namespace mcns {

class Kbgan final : public NegativeSampler {
 public:
  Kbgan(const SamplerContext& context, const GeneratorOptions& options, int candidates)
      : exclusion_(context.exclusion),
        first_(context.graph.targets().begin),
        candidates_(candidates),
        generator_(context, options),
        sources_(context.graph.sources().end),
        targets_(context.graph.targets().size()) {}

  void begin_batch(const SampleRequest& request) override;
  void sample(const SampleRequest& request, const Negatives& out) override;
  bool wants_feedback() const override { return true; }
  void feedback(const Feedback& feedback) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override;
  void visit_state(Archive& archive) override { generator_.visit_state(archive); }
  std::vector<SamplerFigure> figures() const override {
    return {{"mean_reward", generator_.baseline()}};
  }

  /// Of the sum over draws of advantage x log p(draw | its pair's candidates), for the batch
  /// sampled last; `advantages` are in the order of the ids. Consumes the policies of that batch.
  void compute_gradient(const Feedback& feedback, std::span<const float> advantages,
                        GeneratorGradient& out);
  Generator& generator() { return generator_; }
  const Generator& generator() const { return generator_; }
  /// Candidates of a pair of the batch sampled last, counted from the first target.
  std::span<const NodeId> candidates(std::int64_t pair) const {
    return std::span(rows_).subspan(pair * candidates_, candidates_);
  }

 private:
  void source_gradients(ThreadPool& pool, GeneratorGradient& out) const;
  void target_gradients(std::span<const Pair> pairs, ThreadPool& pool,
                        GeneratorGradient& out) const;

  const Exclusion& exclusion_;
  NodeId first_;
  int candidates_;
  Generator generator_;
  RowGroups sources_, targets_;
  GeneratorGradient gradient_;
  std::vector<NodeId> keys_, rows_;        ///< rows_: pairs x candidates
  std::vector<float> rewards_, policies_;  ///< policies_: as rows_; signals once learning has begun
};

}  // namespace mcns

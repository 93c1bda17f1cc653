#include "mcns/samplers/session.h"

#include "mcns/core/error.h"
#include "mcns/io/checkpoint.h"

namespace mcns {
namespace {

std::unique_ptr<NegativeSampler> make(const SessionOptions& o, const Exclusion& exclusion,
                                      ThreadPool& pool) {
  const SamplerContext context{exclusion.graph(), exclusion, o.dim, o.negatives, o.seed, pool,
                               o.names,           o.registry};
  return o.make ? o.make(context) : make_sampler(o.sampler, context);
}

}  // namespace

SamplerSession::SamplerSession(const Graph& graph, const SessionOptions& options, ThreadPool& pool)
    : pool_(pool),
      seed_(options.seed),
      exclusion_(std::make_unique<Exclusion>(graph, options.filter)),
      sampler_(make(options, *exclusion_, pool)),
      batches_(*sampler_, sampler_->negatives_per_positive(options.negatives), graph.num_nodes(),
               pool, {options.log_q, &graph, options.observer}) {}

Negatives SamplerSession::draw(std::span<const NodeId> sources, std::span<const NodeId> targets,
                               int k, const Scorer& tables) {
  require(k >= 1 && sampler_->negatives_per_positive(k) == k,
          "this sampler gives {} negatives per positive, asked for {}",
          sampler_->negatives_per_positive(k), k);
  require(targets.empty() || targets.size() == sources.size(), "{} sources but {} targets",
          sources.size(), targets.size());
  drawn_.resize(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const NodeId u = sources[i];
    require(graph().sources().contains(u), "source {} is not in [{}, {})", u,
            graph().sources().begin, graph().sources().end);
    // Only who has nearly as many neighbours as there are targets is counted, in O(degree).
    require(graph().degree(u) + 1 < exclusion_->targets().size() || exclusion_->allowed(u) > 0,
            "source {} is linked to every target", u);
    require(!targets.empty() || graph().degree(u) > 0,
            "source {} has no training positive to stand in; give targets", u);
    const NodeId v = targets.empty() ? graph().neighbors(u)[0] : targets[i];
    require(graph().targets().contains(v), "target {} is not in [{}, {})", v,
            graph().targets().begin, graph().targets().end);
    drawn_.pairs[i] = {u, v};
    drawn_.serials[i] = pairs_ + i;
  }
  if (calls_ == 0) begin_epoch(0, tables);
  batches_.set_negatives(k);
  batches_.run({seed_, 0, calls_++}, drawn_, tables);
  pairs_ += sources.size();
  return batches_.negatives();
}

void SamplerSession::feedback(std::span<const float> scores) {
  require(calls_ > 0, "feedback is for what was drawn, and nothing was");
  const std::size_t expected =
      drawn_.pairs.size() * (static_cast<std::size_t>(batches_.negatives().k) + 1);
  require(scores.size() == expected, "feedback has {} scores, the last draw {}", scores.size(),
          expected);
  if (wants_feedback()) batches_.feedback({seed_, 0, calls_ - 1}, drawn_, scores);
}

void SamplerSession::visit_state(Archive& archive) {
  sampler_->visit_state(archive);
  archive("session.calls", calls_);
  archive("session.pairs", pairs_);
}

std::string SamplerSession::save() {
  return state_to_bytes([&](Archive& archive) { visit_state(archive); });
}

void SamplerSession::load(const std::string& bytes) {
  state_from_bytes(bytes, [&](Archive& archive) { visit_state(archive); });
}

}  // namespace mcns

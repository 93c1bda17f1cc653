// PinSAGE's hard negatives (Ying et al. 2018): any of the `top` targets with the highest
// personalised PageRank from the source (pinsage_pagerank.h), each with the same probability. The
// lists are made once, by forward push; 4 bytes x top x sources. With `--filter train` they hold no
// training positive. A source that reaches no such target draws uniformly.
//
//   plain  each of the k negatives is hard with probability `hard`, else uniform
//   paper  the appendix's 25 negatives: 20 uniform ones shared by the batch, then 5 hard ones per
//          positive. A shared one that is a positive of the source is replaced by a uniform draw,
//          which leaves it uniform over what the source allows.
//
// p(u) = h [u in list] / |list| + (1 - h) / allowed, with h = hard, or 1/5 in `paper` for one of
// the 25. O(1) a draw, no score evaluation; log q is exact.
#include "mcns/samplers/pinsage_pagerank.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

class PinSage final : public NegativeSampler {
 public:
  struct Options {
    PageRankOptions pagerank;
    double hard = 0.5;
    bool paper = false;
  };

  PinSage(const Options& options, const SamplerContext& context)
      : options_(options),
        exclusion_(context.exclusion),
        hard_(context.exclusion, options.pagerank, context.pool) {
    const NodeRange sources = context.graph.sources();
    for (NodeId u = sources.begin; u < sources.end; ++u) without_list_ += hard_.of(u).empty();
  }

  int negatives_per_positive(int asked) const override {
    return options_.paper ? kShared + kHard : asked;
  }

  void begin_batch(const SampleRequest& request) override {
    if (!options_.paper) return;
    const NodeRange targets = exclusion_.targets();
    Rng rng(request.key.seed, Domain::kState, static_cast<std::uint64_t>(request.key.epoch),
            static_cast<std::uint64_t>(request.key.batch));
    for (NodeId& v : shared_) v = targets.begin + static_cast<NodeId>(rng.below(targets.size()));
  }

  void sample(const SampleRequest& request, Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const NodeId source = request.pairs[i].source;
      Rng rng = streams.at(request.names[i]);
      NodeId* ids = out.ids.data() + static_cast<std::size_t>(i) * out.k;
      for (int j = 0; j < out.k; ++j)
        ids[j] = options_.paper ? draw_paper(source, j, rng) : draw_plain(source, rng);
    }
  }

  std::optional<LogProbability> log_q(NodeId source, NodeId target, const Scorer&) const override {
    const LogProbability uniform = uniform_log_q(exclusion_, source, target);
    const auto list = hard_.of(source);
    if (list.empty()) return uniform;
    const double share =
        options_.paper ? static_cast<double>(kHard) / (kShared + kHard) : options_.hard;
    const bool listed = std::find(list.begin(), list.end(), target) != list.end();
    const double hard = listed ? share / static_cast<double>(list.size()) : 0.0;
    return LogProbability{std::log(hard + (1 - share) * std::exp(uniform.value)), true};
  }

  std::vector<SamplerFigure> figures() const override {
    return {{"list_bytes", static_cast<double>(hard_.bytes())},
            {"sources_without_list", static_cast<double>(without_list_)}};
  }

 private:
  static constexpr int kShared = 20, kHard = 5;

  NodeId draw_hard(NodeId source, Rng& rng) const {
    const auto list = hard_.of(source);
    return list.empty() ? exclusion_.draw_uniform(source, rng) : list[rng.below(list.size())];
  }
  NodeId draw_plain(NodeId source, Rng& rng) const {
    if (rng.uniform() < options_.hard) return draw_hard(source, rng);
    return exclusion_.draw_uniform(source, rng);
  }
  NodeId draw_paper(NodeId source, int j, Rng& rng) const {
    if (j >= kShared) return draw_hard(source, rng);
    if (exclusion_.excluded(source, shared_[j])) return exclusion_.draw_uniform(source, rng);
    return shared_[j];
  }

  Options options_;
  const Exclusion& exclusion_;
  HardTargets hard_;
  NodeId without_list_ = 0;
  NodeId shared_[kShared] = {};
};

}  // namespace

std::unique_ptr<NegativeSampler> make_pinsage(Spec& spec, const SamplerContext& context) {
  PinSage::Options options;
  options.paper = spec.choice("mode", "plain", {"plain", "paper"}) == "paper";
  options.hard = spec.number("hard", options.hard, 0, 1);
  auto& pagerank = options.pagerank;
  pagerank.top = static_cast<int>(spec.integer("top", pagerank.top, 1, 1'000'000));
  pagerank.restart = spec.number("restart", pagerank.restart, 0.01, 0.99);
  pagerank.precision = spec.number("precision", pagerank.precision, 1e-9, 1);
  spec.finish();
  return std::make_unique<PinSage>(options, context);
}

}  // namespace mcns

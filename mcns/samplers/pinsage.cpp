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
#include "mcns/samplers/selftest/closed_forms.h"

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

  void sample(const SampleRequest& request, const Negatives& out) override {
    const Streams streams = request.streams();
    for (const std::int32_t i : request.members) {
      const NodeId source = request.pairs[i].source;
      Rng rng = streams.at(request.serials[i]);
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

/// sum over t of restart (1 - restart)^t P(walk is at v after t steps), by powers.
std::vector<double> pagerank_by_hand(const Graph& graph, NodeId source) {
  constexpr double kRestart = 0.15;
  std::vector<double> out(graph.num_nodes(), 0.0), walk(graph.num_nodes(), 0.0);
  walk[source] = 1;
  for (int step = 0; step < 300; ++step) {
    std::vector<double> next(graph.num_nodes(), 0.0);
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      out[v] += kRestart * walk[v];
      const double degree = degree_by_hand(graph, v);
      for (std::size_t i = 0; i < graph.neighbors(v).size(); ++i)
        next[graph.neighbors(v)[i]] += (1 - kRestart) * walk[v] * arc_weight(graph, v, i) / degree;
    }
    walk = next;
  }
  return out;
}

/// `hard` uniform over the `top` targets of highest personalised PageRank, the rest uniform.
Distribution pinsage_distribution(const SelftestWorld& world, NodeId source, double hard, int top) {
  const auto rank = pagerank_by_hand(world.graph(), source);
  auto list = world.allowed(source);
  std::erase_if(list, [&](NodeId v) { return v == source || rank[v] == 0; });
  std::stable_sort(list.begin(), list.end(), [&](NodeId a, NodeId b) { return rank[a] > rank[b]; });
  list.resize(std::min<std::size_t>(list.size(), top));
  Distribution out = uniform_distribution(world, source);
  if (list.empty()) return out;
  for (auto& [v, p] : out) p *= 1 - hard;
  for (const NodeId v : list) out[v] += hard / static_cast<double>(list.size());
  return out;
}

std::vector<SelftestCase> pinsage_cases() {
  const std::string plain = "pinsage:top=4,precision=1e-9",
                    paper = "pinsage:mode=paper,top=4,precision=1e-9";
  return {{plain, expect(pinsage_distribution, 0.5, 4)},
          {plain, expect(pinsage_distribution, 0.5, 4), 5, WorldKind::kUndirected, true},
          {paper, expect(pinsage_distribution, 0.2, 4), 3, WorldKind::kUserItem, false,
           Filter::kTrain, Draws::kBatches}};
}

}  // namespace

SamplerEntry pinsage_sampler() {
  SamplerEntry entry{
      {"pinsage",
       "hard negatives from personalised PageRank; lists of 4 bytes x top x sources",
       {choice_parameter(
            "mode", {"plain", "paper"}, "plain",
            "plain: k as in --negatives; paper: 20 uniform per batch and 5 hard per positive"),
        number_parameter("hard", "0.5", {0, 1}, "plain: probability that a negative is hard"),
        integer_parameter("top", "100", {1, 1'000'000}, "targets in a source's list"),
        number_parameter("restart", "0.15", {0.01, 0.99}, "of the PageRank"),
        number_parameter("precision", "0.0001", {1e-9, 1}, "of the PageRank; smaller is slower")}}};
  entry.make = [](const Parameters& p, const SamplerContext& context) {
    PinSage::Options options;
    options.paper = p.text("mode") == "paper";
    options.hard = p.number("hard");
    options.pagerank = {p.small("top"), p.number("restart"), p.number("precision")};
    return std::make_unique<PinSage>(options, context);
  };
  entry.bytes = [](const Parameters& p, const SamplerSizes& s) {
    const auto top = static_cast<std::uint64_t>(p.integer("top"));
    const auto sources = static_cast<std::uint64_t>(s.graph.sources().size()),
               targets = static_cast<std::uint64_t>(s.graph.targets().size());
    return MemoryNote{fmt::format("lists of {}, and 24 B a node and thread to make them", top),
                      sources * (std::min(top, targets) + 1) * sizeof(NodeId) +
                          std::uint64_t(s.threads) * s.graph.num_nodes() * 24};
  };
  entry.cases = pinsage_cases;
  return entry;
}

}  // namespace mcns

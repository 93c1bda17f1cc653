// Mixtures, `mix:0.8*mcns+0.2*rns`, and schedules, `mix:ramp=10,rns>dns:candidates=20`.
//
// Each negative chooses its component by a draw of its own, so p(u) = sum of share x p_c(u), and a
// component is asked only for what it is chosen for: the negatives of the batch that fell to it are
// its batch, one negative per pair. Weights are normalised. With a ramp over N epochs the shares
// move linearly from those left of > in the first epoch to those right of it, reached after N
// epochs; a side without weights is one component. A component's own parameters follow its name as
// usual. A + separates only before `number*`, so values may hold one.
//
// A component's weight of a pair becomes the weight of that negative. Components that weigh a
// pair's negatives against each other (self-adversarial), or prescribe their number, cannot be
// mixed. log q is log sum share x exp(log q_c) at the shares of the epoch sampled last, where every
// component has one, and exact where all are.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "mcns/core/error.h"
#include "mcns/core/graph_stats.h"
#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/closed_forms.h"

namespace mcns {
namespace {

struct Part {
  double weight;
  std::string spec;
};

/// `0.5*` at the start of `text`, as the weight and the characters it takes.
std::optional<std::pair<double, std::size_t>> leading_weight(std::string_view text) {
  double weight = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), weight);
  const std::size_t used = end - text.data();
  if (code != std::errc() || used >= text.size() || text[used] != '*') return std::nullopt;
  return std::pair{weight, used + 1};
}

/// `0.8*a+0.2*b`, or one component without a weight.
std::vector<Part> parse_sum(std::string_view text, const std::string& whole) {
  std::vector<Part> parts;
  if (!leading_weight(text)) {
    require(!text.empty(), "'{}' lacks a sampler; expected mix:0.8*NAME+0.2*NAME", whole);
    return {{1.0, std::string(text)}};
  }
  double total = 0;
  while (!text.empty()) {
    const auto [weight, used] = *leading_weight(text);
    std::size_t end = text.find('+', used);
    while (end != std::string_view::npos && !leading_weight(text.substr(end + 1)))
      end = text.find('+', end + 1);
    parts.push_back({weight, std::string(text.substr(used, end - used))});
    require(std::isfinite(weight) && weight >= 0 && !parts.back().spec.empty(),
            "'{}*{}' in '{}': expected a weight of at least 0 and a sampler", weight,
            parts.back().spec, whole);
    total += weight;
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  require(total > 0 && std::isfinite(total),
          "the weights in '{}' sum to {}, expected a finite number above 0", whole, total);
  for (Part& part : parts) part.weight /= total;
  return parts;
}

class Mixture final : public NegativeSampler {
 public:
  struct Component {
    std::string name;
    std::unique_ptr<NegativeSampler> sampler;
    double first = 0, last = 0;  ///< shares in the first epoch and at the end of the ramp
    // The negatives of the current batch that fell to it.
    std::vector<Pair> pairs;
    std::vector<std::uint64_t> serials;
    std::vector<std::int32_t> members;
    NegativesBuffer drawn;
    std::vector<float> scores;
  };

  Mixture(std::vector<Component> components, int ramp, int negatives)
      : components_(std::move(components)), ramp_(ramp), k_(negatives) {
    for (const Component& c : components_) {
      weighs_ = weighs_ || c.sampler->weighs_negatives() || c.sampler->weighs_pairs();
      wants_feedback_ = wants_feedback_ || c.sampler->wants_feedback();
    }
    set_shares(0);
  }

  void begin_epoch(std::int64_t epoch, const Scorer& scorer, ThreadPool& pool) override {
    for (Component& c : components_) c.sampler->begin_epoch(epoch, scorer, pool);
  }

  void begin_batch(const SampleRequest& request) override;
  void sample(const SampleRequest& request, const Negatives& out) override;
  void feedback(const Feedback& feedback) override;
  std::optional<LogProbability> log_q(NodeId source, NodeId target,
                                      const Scorer& scorer) const override;

  bool wants_feedback() const override { return wants_feedback_; }
  bool weighs_negatives() const override { return weighs_; }
  std::vector<SamplerFigure> figures() const override {
    std::vector<SamplerFigure> out;
    for (const Component& c : components_)
      for (const SamplerFigure& f : c.sampler->figures())
        out.push_back({c.name + "." + f.name, f.value});
    return out;
  }
  void visit_state(Archive& archive) override {
    archive("mix.shares", shares_);
    const auto is_share = [](double share) { return share >= 0 && share < 1.001; };
    if (shares_.size() != components_.size() || !std::ranges::all_of(shares_, is_share))
      throw_error(ErrorKind::kData, "'mix.shares' of the saved state holds no {} shares",
                  components_.size());
    for (Component& c : components_) c.sampler->visit_state(archive);
  }

 private:
  /// Where a negative is: its component, and its place among those that fell to it.
  struct Slot {
    std::int32_t component, place;
  };

  void set_shares(std::int64_t epoch) {
    const double done =
        ramp_ == 0 ? 0.0 : std::min(1.0, static_cast<double>(epoch) / static_cast<double>(ramp_));
    shares_.clear();
    for (const Component& c : components_) shares_.push_back((1 - done) * c.first + done * c.last);
  }

  std::int32_t choose(Rng& rng) const {
    double left = rng.uniform();
    std::int32_t last = 0;
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(shares_.size()); ++c) {
      if (shares_[c] <= 0) continue;
      last = c;
      if ((left -= shares_[c]) < 0) break;
    }
    return last;
  }

  std::vector<Component> components_;
  int ramp_;  ///< epochs; 0: the shares stay
  int k_;
  bool weighs_ = false, wants_feedback_ = false;
  std::vector<double> shares_;
  std::vector<Slot> slots_;  ///< pairs x k
};

void Mixture::begin_batch(const SampleRequest& request) {
  set_shares(request.key.epoch);
  for (Component& c : components_) {
    c.pairs.clear();
    c.serials.clear();
  }
  slots_.resize(request.pairs.size() * k_);
  // Not the pairs' own streams: a component may draw from those.
  const Streams choices(request.key.seed, Domain::kState,
                        static_cast<std::uint64_t>(request.key.epoch));
  for (std::size_t i = 0; i < request.pairs.size(); ++i) {
    Rng rng = choices.at(request.serials[i]);
    for (int j = 0; j < k_; ++j) {
      const std::int32_t chosen = choose(rng);
      Component& c = components_[chosen];
      slots_[i * k_ + j] = {chosen, static_cast<std::int32_t>(c.pairs.size())};
      c.pairs.push_back(request.pairs[i]);
      c.serials.push_back(request.serials[i] * static_cast<std::uint64_t>(k_) + j);
    }
  }
  for (Component& c : components_) {
    c.drawn.k = 1;
    c.drawn.resize(c.pairs.size(), c.sampler->weighs_negatives(), c.sampler->weighs_pairs());
    c.members.clear();
  }
  for (const std::int32_t i : request.members)
    for (int j = 0; j < k_; ++j) {
      const Slot slot = slots_[std::size_t(i) * k_ + j];
      components_[slot.component].members.push_back(slot.place);
    }
  for (Component& c : components_)
    c.sampler->begin_batch({request.key, c.pairs, c.serials, c.members, request.scorer});
}

void Mixture::sample(const SampleRequest& request, const Negatives& out) {
  require(out.k == k_, "the mixture was made for {} negatives per positive, got {}", k_, out.k);
  std::vector<std::vector<std::int32_t>> members(components_.size());
  for (const std::int32_t i : request.members)
    for (int j = 0; j < k_; ++j) {
      const Slot slot = slots_[std::size_t(i) * k_ + j];
      members[slot.component].push_back(slot.place);
    }
  for (std::size_t c = 0; c < components_.size(); ++c)
    if (!members[c].empty())
      components_[c].sampler->sample(
          {request.key, components_[c].pairs, components_[c].serials, members[c], request.scorer},
          components_[c].drawn);
  for (const std::int32_t i : request.members)
    for (std::size_t at = std::size_t(i) * k_; at < std::size_t(i + 1) * k_; ++at) {
      const auto [component, place] = slots_[at];
      const NegativesBuffer& drawn = components_[component].drawn;
      out.ids[at] = drawn.ids[place];
      if (!weighs_) continue;
      out.weights[at] = (drawn.weights.empty() ? 1.0F : drawn.weights[place]) *
                        (drawn.pair_weights.empty() ? 1.0F : drawn.pair_weights[place]);
    }
}

void Mixture::feedback(const Feedback& feedback) {
  for (Component& c : components_) c.scores.resize(2 * c.pairs.size());
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    const auto [component, place] = slots_[at];
    const float* scores = feedback.scores.data() + at / k_ * (k_ + 1);
    float* mine = components_[component].scores.data() + 2 * std::size_t(place);
    mine[0] = scores[0];
    mine[1] = scores[1 + at % k_];
  }
  for (Component& c : components_)
    if (c.sampler->wants_feedback() && !c.pairs.empty())
      c.sampler->feedback({feedback.key, c.pairs, c.drawn, c.scores, feedback.pool});
}

std::optional<LogProbability> Mixture::log_q(NodeId source, NodeId target,
                                             const Scorer& scorer) const {
  double total = 0;
  bool exact = true;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    if (shares_[c] <= 0) continue;
    const auto part = components_[c].sampler->log_q(source, target, scorer);
    if (!part) return std::nullopt;
    total += shares_[c] * std::exp(part->value);
    exact = exact && part->exact;
  }
  return LogProbability{std::log(total), exact};
}

/// The `ramp=N,` at the start of `text`, cut off; 0 if there is none.
int take_ramp(std::string_view& text, const std::string& whole) {
  constexpr std::string_view kKey = "ramp=";
  if (!text.starts_with(kKey)) return 0;
  const auto comma = text.find(',');
  const std::string_view value = text.substr(kKey.size(), comma - kKey.size());
  int epochs = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), epochs);
  require(comma != std::string_view::npos && code == std::errc() &&
              end == value.data() + value.size() && epochs > 0,
          "'{}' has no ramp in epochs; expected mix:ramp=10,EASY>HARD", whole);
  text.remove_prefix(comma + 1);
  return epochs;
}

Mixture::Component make_component(const std::string& text, SamplerContext context) {
  context.negatives = 1;
  Mixture::Component component;
  component.name = component_name(text);
  component.sampler = make_sampler(text, context);
  require(!component.sampler->is_joint() && component.sampler->negatives_per_positive(1) == 1,
          "'{}' draws a pair's negatives together, so it cannot be mixed", text);
  return component;
}

/// What a mixture is written as.
struct Recipe {
  struct Part {
    std::string spec;
    double first, last;
  };
  int ramp;
  std::vector<Part> parts;
};

Recipe parse_recipe(const std::string& value) {
  const std::string whole = "mix:" + value;
  std::string_view text = value;
  Recipe recipe{take_ramp(text, whole), {}};
  const auto add = [&](std::string_view sum, bool first, bool last) {
    for (const Part& part : parse_sum(sum, whole)) {
      require(component_name(part.spec) != "mix", "a mixture cannot hold a mixture: '{}'",
              part.spec);
      recipe.parts.push_back({part.spec, first ? part.weight : 0, last ? part.weight : 0});
    }
  };
  if (recipe.ramp == 0) {
    add(text, true, true);
  } else {
    const auto arrow = text.find('>');
    require(arrow != std::string_view::npos, "'{}' has no '>'; expected mix:ramp={},EASY>HARD",
            whole, recipe.ramp);
    add(text.substr(0, arrow), true, false);
    add(text.substr(arrow + 1), false, true);
  }
  return recipe;
}

std::unique_ptr<NegativeSampler> make_mixture(const Parameters& p, const SamplerContext& context) {
  const Recipe recipe = parse_recipe(p.text("of"));
  std::vector<Mixture::Component> components;
  for (const Recipe::Part& part : recipe.parts) {
    components.push_back(make_component(part.spec, context));
    components.back().first = part.first;
    components.back().last = part.last;
  }
  return std::make_unique<Mixture>(std::move(components), recipe.ramp, context.negatives);
}

/// Those of the components; each negative is a pair of its component's batch.
MemoryNote mixture_bytes(const Parameters& p, const SamplerSizes& sizes) {
  MemoryNote sum{"those of the mixture", 0};
  Facts facts = graph_facts(sizes.graph);
  facts["dim"] = std::to_string(sizes.dim);
  for (const Recipe::Part& part : parse_recipe(p.text("of")).parts) {
    const SamplerEntry& entry = sizes.registry.find(part.spec);
    SamplerSizes own = sizes;
    own.negatives = 1;
    own.batch = static_cast<std::uint64_t>(std::max(part.first, part.last) *
                                           static_cast<double>(sizes.batch * sizes.negatives));
    sum.bytes += own.batch * 32;
    if (entry.bytes)
      sum.bytes += entry.bytes(sizes.registry.parameters(part.spec, facts), own).bytes;
  }
  return sum;
}

}  // namespace

SamplerEntry mixture_sampler() {
  SamplerEntry entry{
      {"mix",
       "mix:0.8*NAME+0.2*NAME: each negative chooses its sampler",
       {text_parameter("of", "",
                       "weights and samplers; mix:ramp=10,EASY>HARD moves from one to the other in "
                       "10 epochs")}}};
  entry.takes_text = true;
  entry.adapts = true;
  entry.harder = true;
  entry.make = make_mixture;
  entry.check = [](const Parameters& p, const SamplerRegistry& registry) {
    for (const Recipe::Part& part : parse_recipe(p.text("of")).parts)
      given_parameters(registry.find(part.spec), part.spec);
  };
  entry.files = [](const Parameters& p, const SamplerRegistry& registry) {
    std::vector<std::string> all;
    for (const Recipe::Part& part : parse_recipe(p.text("of")).parts)
      std::ranges::move(sampler_files(part.spec, registry), std::back_inserter(all));
    return all;
  };
  entry.bytes = mixture_bytes;
  entry.cases = [] {
    const auto mixed = [](const SelftestWorld& world, Pair pair, const NegativeSampler&) {
      Distribution out = degree_distribution(world, pair.source, 1);
      const Distribution best = best_of_distribution(world, pair.source, 3, true);
      for (auto& [v, p] : out) p = 0.25 * p + 0.75 * best.at(v);
      return out;
    };
    return std::vector<SelftestCase>{{"mix:0.25*degree:power=1+0.75*dns:candidates=3", mixed}};
  };
  return entry;
}

}  // namespace mcns

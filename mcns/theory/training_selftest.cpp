#include "mcns/theory/training_selftest.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mcns/core/generate.h"
#include "mcns/samplers/enumerate.h"
#include "mcns/train/trainer.h"

namespace mcns {
namespace {

constexpr double kHigh = 0.99;

/// Sums over the draws of watched nodes.
struct Sums {
  double draws = 0, quantile = 0, declared_quantile = 0, above = 0, declared_above = 0;

  void add(const Sums& other) {
    draws += other.draws;
    quantile += other.quantile;
    declared_quantile += other.declared_quantile;
    above += other.above;
    declared_above += other.declared_above;
  }
};

/// Places draws among a node's allowed targets by the scores of the moment.
class Calibration final : public NegativeObserver {
 public:
  Calibration(const Graph& graph, Filter filter, const SelfContrast& declared,
              std::vector<NodeId> watched)
      : exclusion_(graph, filter), declared_(declared), watched_(std::move(watched)) {}

  void record(const SampleRequest& request, const Negatives& drawn) override {
    for_each_source(request, [&](NodeId source, std::span<const std::int32_t> members) {
      if (std::ranges::find(watched_, source) == watched_.end()) return;
      const Sums sums = place(source, members, request.scorer, drawn);
      const std::lock_guard lock(mutex_);
      sums_.add(sums);
    });
  }
  // Samplers that look at scores share neither with other sources nor a pool here.
  void record(const SharedRequest&, const Negatives&) override {}
  void record(const PoolRequest&) override {}

  const Sums& sums() const { return sums_; }

 private:
  Sums place(NodeId source, std::span<const std::int32_t> members, const Scorer& scorer,
             const Negatives& drawn) const {
    ScoredTargets all;
    all.fill(exclusion_, source, scorer);
    std::vector<double> probabilities(all.ids.size()), quantiles(all.ids.size());
    self_contrast_distribution(declared_, all.scores, probabilities);
    std::vector<float> sorted = all.scores;
    std::ranges::sort(sorted);
    Sums one;  // what a single draw is declared to have
    for (std::size_t i = 0; i < quantiles.size(); ++i) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), all.scores[i]);
      const auto below = static_cast<double>(first - sorted.begin()),
                 ties = static_cast<double>(last - first);
      quantiles[i] = (below + ties / 2) / static_cast<double>(sorted.size());
      one.declared_quantile += probabilities[i] * quantiles[i];
      if (quantiles[i] > kHigh) one.declared_above += probabilities[i];
    }
    Sums out;
    for (const std::int32_t i : members)
      for (int j = 0; j < drawn.k; ++j) {
        const double quantile = quantiles[all.find(drawn.ids[std::size_t(i) * drawn.k + j])];
        out.add(
            {1, quantile, one.declared_quantile, quantile > kHigh ? 1.0 : 0.0, one.declared_above});
      }
    return out;
  }

  Exclusion exclusion_;
  SelfContrast declared_;
  std::vector<NodeId> watched_;
  std::mutex mutex_;
  Sums sums_;
};

/// Short runs on small graphs, in which scores move fast: that is where a slow sampler is off.
TrainOptions options_for(Task task, const std::string& encoder, const std::string& sampler) {
  TrainOptions o;
  o.encoder = encoder;
  o.sampler = sampler;
  o.similarity = "dot";
  o.dim = 16;
  o.epochs = 3;
  o.negatives = 3;
  if (task == Task::kRecommend) return o;
  o.positives = "walks:walks=1,length=20,window=5";
  o.batch = 1024;
  return o;
}

TrainingRow run_one(const DeclaredDraws& declared, Task task, const std::string& encoder,
                    const Graph& graph, std::uint64_t seed, ThreadPool& pool,
                    const Components& components) {
  constexpr int kWatched = 8;
  std::vector<NodeId> watched;
  const NodeRange sources = graph.sources();
  for (int i = 0; i < kWatched; ++i)
    watched.push_back(sources.begin + sources.size() * i / kWatched);
  const Plan plan = make_plan(options_for(task, encoder, declared.spec), task, graph, components);
  Calibration calibration(graph, parse_filter(*plan.options.filter), declared.target, watched);
  Trainer trainer(plan, seed, graph, nullptr, pool, {.negatives = &calibration});
  trainer.run({});
  const Sums& s = calibration.sums();
  TrainingRow row{declared.spec, task_name(task), encoder, static_cast<std::int64_t>(s.draws)};
  row.quantile = s.quantile / s.draws;
  row.declared_quantile = s.declared_quantile / s.draws;
  row.above = s.above / s.draws;
  row.declared_above = s.declared_above / s.draws;
  row.holds = std::abs(row.quantile - row.declared_quantile) <= kQuantileMargin &&
              std::abs(row.above - row.declared_above) <= kShareMargin * row.declared_above + 0.01;
  return row;
}

}  // namespace

std::vector<TrainingRow> selftest_training(std::uint64_t seed, ThreadPool& pool,
                                           const SamplerRegistry& registry) {
  Components components = builtin_components();
  components.samplers = registry;
  const Graph users_items =
      generate_graph("bipartite", {.nodes = 800, .edges = 8000, .users = 300, .exponent = 3}, pool)
          .graph;
  const Graph blocks =
      generate_graph("sbm", {.nodes = 600, .edges = 3600, .blocks = 6}, pool).graph;
  std::vector<TrainingRow> rows;
  for (const SamplerEntry& entry : components.samplers) {
    if (!entry.declares) continue;
    for (const DeclaredDraws& declared : entry.declares())
      for (const Task task : {Task::kRecommend, Task::kLinkpred, Task::kClassify})
        for (const EncoderEntry& encoder : components.encoders)
          rows.push_back(run_one(declared, task, encoder.name,
                                 task == Task::kRecommend ? users_items : blocks, seed, pool,
                                 components));
  }
  return rows;
}

}  // namespace mcns

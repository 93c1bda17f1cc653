#include "mcns/plan/plan.h"

#include "mcns/core/graph_stats.h"

namespace mcns {
namespace {

/// Encoders whose vectors are their parameters.
std::string table_encoders(const EncoderRegistry& registry) {
  std::vector<std::string> out;
  for (const EncoderEntry& entry : registry)
    if (!entry.network) out.push_back(entry.name);
  return joined(out);
}

std::string samplers_with_pools(const SamplerRegistry& registry) {
  std::vector<std::string> out;
  for (const SamplerEntry& entry : registry)
    if (entry.pools) out.push_back(entry.name);
  return joined(out);
}

/// Settings that are fine one by one and not together.
void check_together(const TrainOptions& o, const Plan& plan, const Graph& graph) {
  const EncoderEntry& encoder = plan.encoder();
  const std::string tables = table_encoders(plan.components->encoders);
  if (encoder.network) {
    require(*o.update == "batch", "--update {} updates rows in place; {} computes them; valid: {}",
            *o.update, encoder.name, tables);
    require(*o.tables == 1, "--tables 2: {} has one table; encoders with two: {}", encoder.name,
            tables);
  }
  require(*o.tables == 1 || !graph.is_bipartite(),
          "--tables 2 does not fit a user-item graph, which has one vector a node already: users "
          "are sources, items are targets");
  require(!o.features || encoder.reads_features, "--features: {} reads no features", encoder.name);
  const bool scaled = *o.similarity != "dot" || *o.temperature != 1;
  require(
      !scaled || *o.update == "batch",
      "--update {} updates vectors in place; --similarity {} with --temperature {} scales them: "
      "use --update batch",
      *o.update, *o.similarity, number_text(*o.temperature));
  require(*o.similarity == "dot" || *o.l2 == 0,
          "--l2 {} would have no effect: it keeps vectors short, and --similarity cosine gives all "
          "of them the same length; leave --l2 out",
          number_text(*o.l2));
  require(*o.popularity == 0 || *o.similarity == "cosine",
          "--popularity {} is for --similarity cosine; dot products learn it by the lengths of "
          "vectors",
          number_text(*o.popularity));
  require(*o.popularity == 0 || (graph.is_bipartite() && *o.dim > 1),
          "--popularity {} needs a user-item graph and --dim 2 at least: the last coordinate of an "
          "item's vector holds it",
          number_text(*o.popularity));
  if (o.negatives->shared) {
    require(*o.loss == "softmax",
            "--negatives {}: a pool that the batch shares needs --loss softmax, got {}",
            setting_text(*o.negatives), *o.loss);
    require(plan.components->samplers.find(*o.sampler).pools,
            "--negatives {}: {} draws for each pair; samplers with a pool that the batch shares: "
            "{}",
            setting_text(*o.negatives), component_name(*o.sampler),
            samplers_with_pools(plan.components->samplers));
    const Setting* pool = find_setting(plan.settings, "sampler.pool");
    const bool repeats = pool != nullptr && pool->from == Origin::kConfig &&
                         pool->value == std::to_string(o.negatives->count);
    require(pool == nullptr || pool->from == Origin::kDefault || repeats,
            "--negatives {} is the pool of {}; pool={} beside it cannot be: leave it out",
            setting_text(*o.negatives), component_name(*o.sampler), pool->value);
    require(*o.update == "batch", "--negatives {} needs --update batch, got {}",
            setting_text(*o.negatives), *o.update);
  }
  require(*o.margin >= 0 || *o.loss == "hinge",
          "--margin {} is negative, which only --loss hinge can use; got {}",
          number_text(*o.margin), *o.loss);
  require(*o.log_q == "off" || *o.loss == "softmax",
          "--log-q on corrects the softmax loss; it needs --loss softmax, got {}", *o.loss);
}

double breadth_of(const std::string& positives, const std::string& filter, const Graph& graph,
                  const PositiveRegistry& registry) {
  const PositiveEntry& entry = registry.find(positives);
  if (!entry.breadth) return 0;
  return entry.breadth(registry.parameters(positives, graph_facts(graph)), graph,
                       filter == "train");
}

}  // namespace

Plan make_plan(const TrainOptions& given, std::optional<Task> task, const Graph& graph,
               const Components& components, const FromConfig& from_config,
               const TunedSettings& tuned) {
  const Task assumed = task.value_or(graph.is_bipartite() ? Task::kRecommend : Task::kClassify);
  Facts facts = graph_facts(graph);
  facts["task"] = task_name(assumed);
  if (!task) facts["no_task"] = "true";
  Plan plan;
  plan.task = task;
  plan.components = &components;
  plan.settings =
      resolve_settings(given_settings(given),
                       {assumed, std::move(facts), components, from_config, &tuned,
                        [&](const std::string& positives, const std::string& filter) {
                          return breadth_of(positives, filter, graph, components.positives);
                        }},
                       &plan.facts);
  take_settings(plan.settings, plan.options);
  for (auto [name, text] : {std::pair{"encoder", &plan.options.encoder},
                            {"positives", &plan.options.positives},
                            {"sampler", &plan.options.sampler}})
    *text = component_setting(plan.settings, name, components, true);
  check_together(plan.options, plan, graph);
  return plan;
}

}  // namespace mcns

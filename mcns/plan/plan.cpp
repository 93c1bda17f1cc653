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
  require(*o.log_q == "off" || *o.loss == "softmax",
          "--log-q on corrects the softmax loss; it needs --loss softmax, got {}", *o.loss);
}

}  // namespace

Plan make_plan(const TrainOptions& given, std::optional<Task> task, const Graph& graph,
               const Components& components, const FromConfig& from_config) {
  const Task assumed = task.value_or(graph.is_bipartite() ? Task::kRecommend : Task::kClassify);
  Facts facts = graph_facts(graph);
  facts["task"] = task_name(assumed);
  if (!task) facts["no_task"] = "true";
  Plan plan;
  plan.task = task;
  plan.components = &components;
  plan.settings =
      resolve_settings(given_settings(given), {assumed, std::move(facts), components, from_config});
  take_settings(plan.settings, plan.options);
  for (auto [name, text] : {std::pair{"encoder", &plan.options.encoder},
                            {"positives", &plan.options.positives},
                            {"sampler", &plan.options.sampler}})
    *text = component_setting(plan.settings, name, components, true);
  check_together(plan.options, plan, graph);
  return plan;
}

}  // namespace mcns

// What a training run will do: every setting with its origin, resolved for a graph.
#pragma once

#include <optional>
#include <vector>

#include "mcns/core/graph.h"
#include "mcns/plan/options.h"
#include "mcns/plan/resolve.h"

namespace mcns {

struct Plan {
  /// Every option has a value, but for `model`, `preset` and `features` where none was given.
  /// Components have all their parameters written out.
  TrainOptions options;
  /// Of the options, then of their components' parameters (`sampler.hardness`).
  std::vector<Setting> settings;
  /// What conditions and formulas may use: of the graph, the task and all settings.
  Facts facts;
  const Components* components = nullptr;
  std::optional<Task> task;  ///< none: train on the whole graph, evaluate nothing

  /// `mcns:form=paper`: a component as chosen, without the defaults.
  std::string chosen(const std::string& component) const {
    return component_setting(settings, component, *components, false);
  }
  const EncoderEntry& encoder() const { return components->encoders.find(*options.encoder); }
};

/// Throws where settings contradict each other. `components` must outlive the plan.
Plan make_plan(const TrainOptions& given, std::optional<Task> task, const Graph& graph,
               const Components& components = builtin_components(),
               const FromConfig& from_config = {}, const TunedSettings& tuned = {});

}  // namespace mcns

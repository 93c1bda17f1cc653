// The one table of defaults and presets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/task.h"

namespace mcns {

/// What the table gives for `setting` under `facts` (of the graph, the task, and settings resolved
/// before): the value, or a formula where the setting is a number.
struct DefaultValue {
  std::string value;
  Origin from;  ///< kPreset or kDefault
};
std::optional<DefaultValue> find_default(const std::string& setting, Task task, const Facts& facts);

/// Settings of the table in the order in which they are resolved, without components' parameters.
std::vector<std::string> settings_in_order();

/// The names that --model takes.
std::vector<std::string> model_names();

}  // namespace mcns

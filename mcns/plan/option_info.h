// What a visitor over options says of each: flags of the command line, help, the config file,
// run.json and error messages all come from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mcns/core/component.h"

namespace mcns {

/// Headings of `--help`, in this order.
enum class OptionGroup { kData, kModel, kSampler, kTraining, kOutput };

struct OptionInfo : ParameterInfo {
  OptionGroup group = OptionGroup::kTraining;
};

/// "a, b, c", for help texts.
inline std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

/// The name is that of the flag without its dashes.
inline OptionInfo option(OptionGroup group, ParameterInfo info) {
  OptionInfo out;
  static_cast<ParameterInfo&>(out) = std::move(info);
  out.group = group;
  return out;
}

}  // namespace mcns

// The files of a run that its page is made of. Somebody may have changed them: they are checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mcns {

struct RunFiles {
  std::string folder, name;
  nlohmann::ordered_json metrics, run;
  std::vector<nlohmann::ordered_json> history;
};

/// Throws Error(kData), with file and line, for what no run writes.
RunFiles read_run(const std::string& folder);

}  // namespace mcns

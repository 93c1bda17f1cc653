// tuned.toml: what a search found, as a file for --config; and all of a search as JSON.
#pragma once

#include <string>

#include "mcns/tune/tune.h"

namespace mcns {

/// `plan` is that of the best setting: a component is written with all that was chosen of it.
std::string tuned_toml(const TuneResult& result, const TuneOptions& options, const Plan& plan);

std::string tune_json(const TuneResult& result);
std::string dimensions_json(const std::vector<Dimension>& dimensions);

}  // namespace mcns

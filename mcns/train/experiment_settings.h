// Every setting of an experiment with its origin: what --plan prints and run.json holds.
#pragma once

#include <string>
#include <vector>

#include "mcns/train/experiment.h"
#include "mcns/train/experiment_data.h"

namespace mcns {

/// Of the task, the seed, data, split and training. The experiment is as the user gave it.
std::vector<Setting> experiment_settings(const Experiment& experiment, const ExperimentData& data,
                                         const Plan& plan);

/// Throws unless the text is an integer of 64 bits without a sign.
std::uint64_t parse_seed(const std::string& text);

/// Throws unless an experiment has the setting and the value fits it. A component has its
/// parameters with it, `dns:candidates=8`.
void check_setting(const Setting& setting);

/// {"name": {"value": ..., "from": ...}}, numbers and flags as such.
std::string settings_json(const std::vector<Setting>& settings);

/// What a resumed run must share: values of settings, digests of files; and the name of the
/// kernels.
std::string resume_json(const std::vector<Setting>& settings, const Experiment& experiment);
/// Throws with the first setting that differs. An empty `before` (no checkpoint) is fine.
void require_same_settings(const std::string& before, const std::string& now);

/// Throws where the kernels are others, as on a CPU with other instruction sets: they round
/// otherwise.
void require_same_kernels(const std::string& before, const std::string& now);

/// Paths and digests of the files that were read.
std::string data_json(const Experiment& experiment);

}  // namespace mcns

#include "mcns/train/prepared.h"

#include <algorithm>
#include <iterator>

#include "mcns/io/model_directory.h"
#include "mcns/samplers/registry.h"
#include "mcns/system/process_memory.h"
#include "mcns/train/experiment_settings.h"

namespace mcns {
namespace {

void resolve(PreparedExperiment& out) {
  Experiment e = out.experiment;
  e.load = out.given_load;  // settings say what was given
  out.plan = make_plan(e.train, e.task, out.data.set.graph, *e.components, e.from_config, e.tuned);
  out.settings = experiment_settings(e, out.data, out.plan);
}

}  // namespace

PreparedExperiment prepare_experiment(const Experiment& given, ThreadPool& pool,
                                      Evaluators evaluators) {
  check_components(given_settings(given.train), *given.components);
  check_components(given_settings(given.split), *given.components);
  const OutputOptions& output = given.output;
  if (!output.out.empty() && output.held == nullptr)
    check_model_directory(output.out, output.force, output.resume);
  PreparedExperiment out;
  out.experiment = given;
  out.given_load = given.load;
  find_files(out.experiment);
  if (output.held == nullptr) check_inputs_stay(out.experiment);
  out.data = prepare_data(out.experiment, pool, evaluators);
  resolve(out);
  return out;
}

void check_inputs_stay(const Experiment& e) {
  const OutputOptions& output = e.output;
  if (output.out.empty() || !output.force || output.resume) return;
  std::vector<std::string> inputs = {e.files.train,  e.files.valid, e.files.test,
                                     e.files.labels, e.config,      e.train.features.value_or("")};
  if (e.train.sampler)
    std::ranges::move(sampler_files(*e.train.sampler, e.components->samplers),
                      std::back_inserter(inputs));
  require_inputs_apart(output.out, inputs);
}

void check_memory(const PreparedExperiment& prepared, int threads, std::uint64_t program) {
  const Dataset& set = prepared.data.set;
  const std::uint64_t most = prepared.experiment.output.memory;
  require_memory(estimate_memory(set.graph, set.names, prepared.plan,
                                 {.threads = threads, .program = program}),
                 most != 0 ? most : usable_bytes());
}

void take_tuned(PreparedExperiment& prepared, const std::string& setting,
                const std::string& value) {
  prepared.experiment.tuned[setting] = value;
  resolve(prepared);
}

}  // namespace mcns

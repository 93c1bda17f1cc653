#include "mcns/train/prepared.h"

#include "mcns/io/model_directory.h"
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
  out.data = prepare_data(out.experiment, pool, evaluators);
  resolve(out);
  return out;
}

void take_tuned(PreparedExperiment& prepared, const std::string& setting,
                const std::string& value) {
  prepared.experiment.tuned[setting] = value;
  resolve(prepared);
}

}  // namespace mcns

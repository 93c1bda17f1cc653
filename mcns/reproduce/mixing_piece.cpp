#include "mcns/reproduce/mixing_piece.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/core/json_object.h"
#include "mcns/core/stopwatch.h"
#include "mcns/model/frozen_model.h"
#include "mcns/theory/mixing.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

/// The model is of no use afterwards.
struct RemovedAtEnd {
  std::string path;
  ~RemovedAtEnd() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

Json measure(const std::string& folder, int threads) {
  ThreadPool pool(threads);
  const FrozenModel model = load_frozen_model(folder, "", {}, "", pool);
  const MixingOptions options = mixing_options(model);
  Json out{{"steps", options.steps}, {"curves", Json::object()}};
  for (const MixingCurve& curve : measure_mixing(model, options, pool))
    out["curves"][curve.order] = curve.distances;
  return out;
}

}  // namespace

std::string mixing_file(const CellSpec& cell) {
  return fmt::format("{}.{}.mixing.json", cell.column(), cell.kind);
}

Piece mixing_piece(const CellSpec& cell, const Experiment& experiment, const std::string& plan,
                   const RecordStore& store, const std::atomic<bool>* interrupted) {
  const std::string file = mixing_file(cell);
  const std::string key = experiment_key(experiment, "mixing") + "-" + plan;
  const std::string folder = store.path(file) + ".model";
  const auto work = [=]() -> std::optional<std::string> {
    Experiment trained = experiment;
    trained.output.out = folder;
    trained.output.force = true;
    const RemovedAtEnd removed{folder};
    ExperimentHooks hooks;
    hooks.interrupted = interrupted;
    const Stopwatch watch;
    const ExperimentResult result = run_experiment(trained, hooks);
    if (!result.finished) return std::nullopt;
    Json out{{"key", key}, {"command", run_command(experiment, {})}};
    for (const Setting& setting : result.settings)
      object_at(out, "settings")[setting.name] = setting.value;
    const Environment here = environment_here();
    out["version"] = here.version;
    out["cpu"] = here.cpu;
    out.update(measure(folder, experiment.threads));
    out["wall_seconds"] = watch.seconds();
    return out.dump(2) + "\n";
  };
  return {file, key, work};
}

std::optional<RunRecord> mixing_record(const CellSpec& cell, const std::string& text,
                                       const std::string& path) {
  try {
    const Json in = Json::parse(text);
    const auto& steps = in.at("steps");
    if (!in.at("curves").contains(cell.sampler) || !cell.x) return std::nullopt;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].get<double>() != *cell.x) continue;
      RunRecord out;
      out.name = cell.name();
      out.kind = cell.kind;
      out.metric = "tv";
      out.test = {{"tv", in["curves"][cell.sampler].at(i).get<double>()}};
      out.command = in.at("command");
      for (const auto& [name, value] : in.at("settings").items()) out.settings[name] = value;
      out.version = in.at("version");
      out.cpu = in.at("cpu");
      out.wall_seconds = in.at("wall_seconds");
      return out;
    }
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    throw_bad_data(path, 0, "not a measurement of chains; remove the file and it is made again");
  }
}

}  // namespace mcns

#include "mcns/compare/tuned_piece.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mcns/compare/run_record.h"
#include "mcns/core/error.h"

namespace mcns {

using Json = nlohmann::ordered_json;

Piece tuned_piece(const RecordStore& store, const std::string& file, Experiment experiment,
                  const std::string& plan, int settings, const TuneHooks& hooks) {
  experiment.output = {};
  const std::string key = experiment_key(experiment, fmt::format("tune {}", settings)) + "-" + plan;
  // Named by the key: trials of another search are never taken for those of this one.
  const std::string trials = fmt::format("{}.trials-{}", store.path(file), key);
  const auto work = [=]() -> std::optional<std::string> {
    Experiment search = experiment;
    search.output.out = trials;
    search.output.resume = true;
    const TuneResult found = tune_experiment(search, {.settings = settings, .command = ""}, hooks);
    if (!found.finished) return std::nullopt;
    std::error_code ignored;
    std::filesystem::remove_all(trials, ignored);
    Json out{{"key", key},
             {"metric", found.metric},
             {"value", found.rows[found.best].values.back()},
             {"default", found.rows[0].values.back()},
             {"trials", found.trials},
             {"seconds", found.seconds},
             {"tuned", Json::object()}};
    for (const auto& [name, value] : found.tuned) out["tuned"][name] = value;
    return out.dump(2) + "\n";
  };
  return {file, key, work};
}

TunedPiece parse_tuned(const std::string& text, const std::string& path) {
  try {
    const Json in = Json::parse(text);
    TunedPiece out;
    out.metric = in.at("metric");
    out.value = in.at("value");
    out.trials = in.at("trials");
    out.seconds = in.at("seconds");
    for (const auto& [name, value] : in.at("tuned").items()) out.tuned[name] = value;
    return out;
  } catch (const nlohmann::json::exception&) {
    throw_bad_data(path, 0, "not the result of a search; remove the file and it is made again");
  }
}

}  // namespace mcns

#include "mcns/compare/tuned_piece.h"

#include <nlohmann/json.hpp>

#include "mcns/compare/run_record.h"
#include "mcns/core/error.h"

namespace mcns {

using Json = nlohmann::ordered_json;

Piece tuned_piece(const std::string& file, Experiment experiment, int settings,
                  const TuneHooks& hooks) {
  experiment.output = {};
  const std::string key = experiment_key(experiment, fmt::format("tune {}", settings));
  const auto work = [=]() -> std::optional<std::string> {
    const TuneResult found = tune_experiment(experiment, {.settings = settings}, hooks);
    if (!found.finished) return std::nullopt;
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
  } catch (const nlohmann::json::exception& error) {
    throw_bad_data(path, 0, std::string("not the result of a search: ") + error.what());
  }
}

}  // namespace mcns

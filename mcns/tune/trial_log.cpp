#include "mcns/tune/trial_log.h"

#include <nlohmann/json.hpp>

#include "mcns/core/error.h"
#include "mcns/io/sha256.h"
#include "mcns/train/experiment_settings.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExperiment = "experiment";

Json to_json(const std::string& key, const Trial& trial) {
  Json out{{"setting", trial.setting}, {"epochs", trial.epochs}};
  out["changes"] = Json::object();
  for (const auto& [name, value] : trial.changes) out["changes"][name] = value;
  out["value"] = trial.value ? Json(*trial.value) : Json();
  if (!trial.value) out["error"] = trial.error;
  out["epochs_done"] = trial.epochs_done;
  out["best_epoch"] = trial.best_epoch;
  out["seconds"] = trial.seconds;
  out["key"] = key;
  return out;
}

/// Throws exceptions of the JSON library where something is missing or of another kind.
Trial from_json(const Json& line) {
  Trial out;
  out.setting = line.at("setting").get<int>();
  out.epochs = line.at("epochs").get<int>();
  for (const auto& [name, value] : line.at("changes").items())
    out.changes[name] = value.get<std::string>();
  if (!line.at("value").is_null()) out.value = line["value"].get<double>();
  out.error = line.value("error", "");
  out.epochs_done = line.at("epochs_done").get<std::int64_t>();
  out.best_epoch = line.value("best_epoch", std::int64_t{0});  // 0.1 had none
  out.seconds = line.at("seconds").get<double>();
  out.from_before = true;
  return out;
}

}  // namespace

TrialLog::TrialLog(const std::string& folder, const std::string& experiment) {
  Json fixed = Json::parse(experiment);
  fixed.erase("simd");  // a search may go on where the CPU is another one
  experiment_ = fixed.dump();
  if (folder.empty()) return;
  const std::string path = folder + "/trials.jsonl";
  file_.emplace(path, [](const std::string& line) { return Json::accept(line); });
  const auto& lines = file_->lines();
  if (lines.empty()) {
    file_->append(Json{{kExperiment, Json::parse(experiment)}}.dump());
    return;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i) + 1;
    std::string before;
    try {
      const Json line = Json::parse(lines[i]);
      if (i == 0)
        before = line.at(kExperiment).dump();
      else
        trials_[line.at("key").get<std::string>()] = from_json(line);
    } catch (const Json::exception&) {
      throw_bad_data(path, number, i == 0 ? "not a log of trials" : "not a trial");
    }
    if (i == 0) require_same_settings(before, experiment);
  }
}

std::string TrialLog::digest(const std::string& text) const {
  Sha256 sha;
  sha.update(experiment_.data(), experiment_.size());
  sha.update(text.data(), text.size());
  return sha.finish().substr(0, 16);
}

std::string TrialLog::key(const std::vector<Setting>& settings) const {
  std::string text;
  for (const Setting& setting : settings)
    text += fmt::format("\n{}={}", setting.name, setting.value);
  return digest(text);
}

std::string TrialLog::key(const TunedSettings& changes, int epochs) const {
  std::string text = fmt::format("\nchanges for {} epochs", epochs);
  for (const auto& [name, value] : changes) text += fmt::format("\n{}={}", name, value);
  return digest(text);
}

std::optional<Trial> TrialLog::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = trials_.find(key);
  if (found == trials_.end()) return std::nullopt;
  return found->second;
}

void TrialLog::add(const std::string& key, const Trial& trial) {
  const std::lock_guard lock(mutex_);
  if (file_) file_->append(to_json(key, trial).dump());
  trials_[key] = trial;
}

}  // namespace mcns

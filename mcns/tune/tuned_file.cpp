#include "mcns/tune/tuned_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include <fmt/format.h>

#include "mcns/core/plain_text.h"

namespace mcns {
namespace {

using Json = nlohmann::ordered_json;

std::string toml_value(const std::string& text, ParameterType type) {
  const bool bare = type == ParameterType::kNumber || type == ParameterType::kInteger ||
                    type == ParameterType::kFlag;
  if (bare) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

Json to_json(const std::vector<Dimension>& dimensions) {
  Json out = Json::array();
  for (const Dimension& d : dimensions) {
    Json one{{"setting", d.name}, {"default", d.value}};
    if (d.values.empty())
      one.update(
          {{"low", d.low}, {"high", d.high}, {"scale", d.scale == Scale::kLog ? "log" : "linear"}});
    else
      one["values"] = d.values;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string tuned_toml(const TuneResult& result, const TuneOptions& options, const Plan& plan) {
  const TuneResult::Row& best = result.rows[result.best];
  std::string out, command = options.command;
  std::ranges::replace(command, '\n', ' ');  // the comment is one line
  if (!command.empty()) out += fmt::format("# {}\n", printable(command));
  out += fmt::format("# validation {} {:.6f}: the best of {} settings\n", result.metric,
                     best.values.back(), result.rows.size());
  out += fmt::format("# {:.1f} seconds\n", result.seconds);
  std::set<std::string> found;
  for (const auto& [name, value] : result.tuned) found.insert(name.substr(0, name.find('.')));
  if (found.empty()) out += "# the defaults were best\n";
  std::string rest;
  for (const GivenSetting& option : given_settings(TrainOptions{})) {
    const Setting* setting = find_setting(plan.settings, option.info.name);
    if (setting == nullptr || setting->value.empty()) continue;
    const bool component =
        find_component(setting->name, setting->value, *plan.components) != nullptr;
    (found.contains(setting->name) ? out : rest) += fmt::format(
        "{} = {}\n", setting->name,
        toml_value(component ? plan.chosen(setting->name) : setting->value, setting->type));
  }
  return out + "\n# the rest of the settings, so that the file says all of the run\n" + rest;
}

std::string dimensions_json(const std::vector<Dimension>& dimensions) {
  return Json{{"dimensions", to_json(dimensions)}}.dump(2) + "\n";
}

std::string tune_json(const TuneResult& result) {
  Json out{{"metric", result.metric}, {"rung_epochs", result.rung_epochs}};
  out["dimensions"] = to_json(result.dimensions);
  out["settings"] = Json::array();
  for (const TuneResult::Row& row : result.rows) {
    Json line{{"setting", row.setting}};
    line["changes"] = Json::object();
    for (const auto& [name, value] : row.changes) line["changes"][name] = value;
    line["values"] = Json::array();
    for (const double value : row.values) line["values"].push_back(number_or_null(value));
    if (!row.error.empty()) line["error"] = row.error;
    out["settings"].push_back(std::move(line));
  }
  const TuneResult::Row& best = result.rows[result.best];
  out["best"] = best.setting;
  out["value"] = best.values.back();
  out["tuned"] = Json::object();
  for (const auto& [name, value] : result.tuned) out["tuned"][name] = value;
  out["trials"] = result.trials;
  out["trials_from_before"] = result.from_before;
  out["full_runs"] = result.full_runs;
  out["seconds"] = result.seconds;
  return out.dump(2) + "\n";
}

}  // namespace mcns

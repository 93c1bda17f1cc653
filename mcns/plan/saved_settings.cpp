#include "mcns/plan/saved_settings.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "mcns/plan/options.h"
#include "mcns/plan/resolve.h"

namespace mcns {

SavedSettings::SavedSettings(const std::string& text, const std::string& path) : path_(path) {
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("settings") || !document["settings"].is_object())
    throw_bad_data(path, 0, "not the settings of a run");
  for (const auto& [name, setting] : document["settings"].items()) {
    if (!setting.is_object() || !setting.contains("value"))
      throw_bad_data(path, 0, fmt::format("the setting '{}' has no value", name));
    const auto& value = setting["value"];
    if (!value.is_string() && !value.is_number() && !value.is_boolean())
      throw_bad_data(path, 0, fmt::format("the setting '{}' has the value {}", name, value.dump()));
    settings_.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
}

bool SavedSettings::has(const std::string& name) const {
  return find_setting(settings_, name) != nullptr;
}

const std::string& SavedSettings::text(const std::string& name) const {
  const Setting* found = find_setting(settings_, name);
  if (found == nullptr) throw_bad_data(path_, 0, fmt::format("has no setting '{}'", name));
  return found->value;
}

int SavedSettings::integer(const std::string& name) const {
  int value = 0;
  const std::string& digits = text(name);
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size())
    throw_bad_data(path_, 0, fmt::format("the setting '{}' is no integer: '{}'", name, digits));
  return value;
}

double SavedSettings::number(const std::string& name) const {
  const std::string& digits = text(name);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc() || end != digits.data() + digits.size())
    throw_bad_data(path_, 0, fmt::format("the setting '{}' is no number: '{}'", name, digits));
  return value;
}

std::string SavedSettings::component(const std::string& name) const {
  const std::string& chosen = text(name);
  try {
    const Component* component = find_component(name, chosen, builtin_components());
    for (const Setting& setting : settings_) {
      if (!setting.name.starts_with(name + ".")) continue;
      require(component != nullptr, "unknown setting '{}'", setting.name);
      const std::string parameter = setting.name.substr(name.size() + 1);
      given_parameters(*component, fmt::format("{}:{}={}", chosen, parameter, setting.value));
    }
    if (component == nullptr) return chosen;
    GivenSetting whole;
    whole.info.name = name;
    whole.value = component_setting(settings_, name, builtin_components(), true);
    check_components({whole}, builtin_components());
    return *whole.value;
  } catch (const Error& error) {
    throw_bad_data(path_, 0, error.what());
  }
}

void SavedSettings::check_values() const {
  // A program may have had components of its own: those that nobody asks for need not be known.
  constexpr std::string_view kComponents[] = {"encoder", "positives", "sampler", "loss",
                                              "optimizer"};
  for (GivenSetting& one : given_settings(TrainOptions{})) {
    const Setting* saved = find_setting(settings_, one.info.name);
    if (saved == nullptr || std::ranges::count(kComponents, one.info.name) > 0) continue;
    one.value = saved->value;
    try {
      check_components({one}, builtin_components());
    } catch (const Error& error) {
      throw_bad_data(path_, 0, error.what());
    }
  }
}

std::vector<Setting> SavedSettings::flags() const {
  std::vector<Setting> out;
  for (const Setting& setting : settings_)
    if (setting.name.find('.') == std::string::npos)
      out.push_back({setting.name, component(setting.name)});
  return out;
}

}  // namespace mcns

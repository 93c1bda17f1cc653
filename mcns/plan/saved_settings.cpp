#include "mcns/plan/saved_settings.h"

#include <nlohmann/json.hpp>

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
  return Parameters({{"", text(name)}}).small("");
}

std::string SavedSettings::component(const std::string& name) const {
  text(name);  // must be there
  return component_setting(settings_, name, builtin_components(), true);
}

std::vector<Setting> SavedSettings::flags() const {
  std::vector<Setting> out;
  for (const Setting& setting : settings_) {
    if (setting.name.find('.') != std::string::npos) continue;
    const bool has_parameters = std::ranges::any_of(settings_, [&](const Setting& other) {
      return other.name.starts_with(setting.name + ".");
    });
    out.push_back({setting.name, has_parameters ? component(setting.name) : setting.value});
  }
  return out;
}

}  // namespace mcns

// From what the user gave to every setting with its value and where it came from. Given settings
// are never replaced; what is open takes the tuned value, else the preset's, else the default
// (defaults.h), else, for a component's parameter, the component's own.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/error.h"
#include "mcns/core/task.h"
#include "mcns/plan/components.h"
#include "mcns/plan/option_info.h"

namespace mcns {

/// An option and the value that the user gave, if any.
struct GivenSetting {
  OptionInfo info;
  std::optional<std::string> value;
};

/// Names of settings that a config file gave, not the command line.
using FromConfig = std::set<std::string>;

/// Values that tuning found, by name of the setting (`lr`, `sampler.hardness`). One that is given
/// too counts as given.
using TunedSettings = std::map<std::string, std::string>;

struct ResolveContext {
  Task task;
  Facts facts;
  const Components& components;
  const FromConfig& from_config;
  const TunedSettings* tuned = nullptr;
  /// Breadth of the positives with these parameters; asked where the sampler is harder than chance.
  /// May be empty.
  std::function<double(const std::string& positives, const std::string& filter)> breadth = {};
};

/// All settings in the order of `given`; parameters of components follow them, as
/// `sampler.hardness`. Throws for values that do not fit. A setting without any default that is not
/// given is left out. `facts` becomes those of the context and of the settings.
std::vector<Setting> resolve_settings(const std::vector<GivenSetting>& given,
                                      ResolveContext context, Facts* facts = nullptr);

/// Throws for unknown names and parameters of components, before any data is read.
void check_components(const std::vector<GivenSetting>& given, const Components& components);

/// The registry entry that the value of a setting names; null for a setting that is no component.
const Component* find_component(const std::string& setting, const std::string& text,
                                const Components& components);

const Setting* find_setting(const std::vector<Setting>& settings, const std::string& name);

/// `mcns:form=paper`: the component with those of its parameters that were chosen by the user or a
/// preset; with all of them where `complete`.
std::string component_setting(const std::vector<Setting>& settings, const std::string& name,
                              const Components& components, bool complete);

inline std::string setting_text(const std::string& value) { return value; }
inline std::string setting_text(std::int64_t value) { return std::to_string(value); }
inline std::string setting_text(int value) { return std::to_string(value); }
inline std::string setting_text(bool value) { return value ? "true" : "false"; }
inline std::string setting_text(double value) { return number_text(value); }

inline void read_text(const std::string& text, std::string& value) { value = text; }
inline void read_text(const std::string& text, bool& value) { value = text == "true"; }
template <class T>
void read_text(const std::string& text, T& value) {
  const Parameters one({{"", text, Origin::kDefault}});
  value =
      static_cast<T>(std::is_integral_v<T> ? static_cast<double>(one.integer("")) : one.number(""));
}

/// The settings of a struct of optional fields that has a for_each_option.
template <class Options>
std::vector<GivenSetting> given_settings(const Options& options) {
  std::vector<GivenSetting> out;
  for_each_option(options, [&](const auto& field, const OptionInfo& info) {
    out.push_back({info, field ? std::optional(setting_text(*field)) : std::nullopt});
  });
  return out;
}

/// The fields from resolved settings.
template <class Options>
void take_settings(const std::vector<Setting>& settings, Options& options) {
  for_each_option(options, [&](auto& field, const OptionInfo& info) {
    const Setting* setting = find_setting(settings, info.name);
    if (setting != nullptr) read_text(setting->value, field.emplace());
  });
}

}  // namespace mcns

#include "mcns/core/component.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/plain_text.h"

namespace mcns {
namespace {

template <class T>
bool reads(const std::string& text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

ParameterInfo parameter(std::string name, ParameterType type, std::string value, std::string help) {
  ParameterInfo out;
  out.name = std::move(name);
  out.type = type;
  out.default_value = std::move(value);
  out.help = std::move(help);
  return out;
}

const ParameterInfo& find_parameter(const Component& component, const std::string& name) {
  std::vector<std::string> known;
  for (const ParameterInfo& info : component.parameters) {
    if (info.name == name) return info;
    known.push_back(info.name);
  }
  require(!known.empty(), "{} takes no parameters, got '{}'", component.name, name);
  throw_unknown(fmt::format("parameter of {}", component.name), name, known);
}

const Setting* find_setting(std::span<const Setting> settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

/// A default as a value: formulas of numbers are evaluated, integers rounded down.
std::string default_of(const ParameterInfo& info, const Facts& facts) {
  std::string value = info.default_value;
  for (const auto& [condition, other] : info.otherwise)
    if (holds(condition, facts)) {
      value = other;
      break;
    }
  if (info.type == ParameterType::kNumber) return number_text(evaluate_formula(value, facts));
  if (info.type == ParameterType::kInteger)
    return std::to_string(static_cast<std::int64_t>(std::floor(evaluate_formula(value, facts))));
  return value;
}

}  // namespace

ParameterInfo ParameterInfo::when(std::string condition, std::string value) const {
  ParameterInfo out = *this;
  out.otherwise.push_back({std::move(condition), std::move(value)});
  return out;
}

ParameterInfo ParameterInfo::tuned_between(std::string low, std::string high, Scale scale,
                                           std::string condition) const {
  ParameterInfo out = *this;
  out.tunings.push_back({std::move(condition), std::move(low), std::move(high), scale, {}});
  return out;
}

ParameterInfo ParameterInfo::tuned(Range range, Scale scale, std::string condition) const {
  return tuned_between(number_text(range.low), number_text(range.high), scale,
                       std::move(condition));
}

ParameterInfo ParameterInfo::tuned_by_factor(double low, double high, std::string condition) const {
  return tuned_between(number_text(low) + "*default", number_text(high) + "*default", Scale::kLog,
                       std::move(condition));
}

ParameterInfo ParameterInfo::tuned_among(std::vector<std::string> values,
                                         std::string condition) const {
  ParameterInfo out = *this;
  out.tunings.push_back({std::move(condition), "", "", Scale::kLinear, std::move(values)});
  return out;
}

std::string ParameterInfo::default_text() const {
  std::string out = default_value;
  for (const auto& [condition, value] : otherwise)
    out += fmt::format("{}{} with {}", &condition == &otherwise[0].condition ? " (" : "; ", value,
                       condition);
  return otherwise.empty() ? out : out + ")";
}

ParameterInfo number_parameter(std::string name, std::string value, Range range, std::string help) {
  ParameterInfo out =
      parameter(std::move(name), ParameterType::kNumber, std::move(value), std::move(help));
  out.low = range.low;
  out.high = range.high;
  return out;
}

ParameterInfo integer_parameter(std::string name, std::string value, Range range,
                                std::string help) {
  ParameterInfo out = number_parameter(std::move(name), std::move(value), range, std::move(help));
  out.type = ParameterType::kInteger;
  return out;
}

ParameterInfo flag_parameter(std::string name, bool value, std::string help) {
  ParameterInfo out = choice_parameter(std::move(name), {"true", "false"}, value ? "true" : "false",
                                       std::move(help));
  out.type = ParameterType::kFlag;
  return out;
}

ParameterInfo choice_parameter(std::string name, std::vector<std::string> choices,
                               std::string value, std::string help) {
  ParameterInfo out =
      parameter(std::move(name), ParameterType::kChoice, std::move(value), std::move(help));
  out.choices = std::move(choices);
  return out;
}

ParameterInfo text_parameter(std::string name, std::string value, std::string help) {
  return parameter(std::move(name), ParameterType::kText, std::move(value), std::move(help));
}

void check_value(const ParameterInfo& parameter, const std::string& what,
                 const std::string& value) {
  switch (parameter.type) {
    case ParameterType::kNumber: {
      double x = 0;
      require(reads(value, x) && x >= parameter.low && x <= parameter.high,
              "{} must be a number in [{}, {}], got '{}'", what, parameter.low, parameter.high,
              value);
      return;
    }
    case ParameterType::kInteger: {
      std::int64_t x = 0;
      const bool whole = reads(value, x);
      require(whole && is_plain_integer(value) && static_cast<double>(x) >= parameter.low &&
                  static_cast<double>(x) <= parameter.high,
              "{} must be an integer in [{}, {}], got '{}'{}", what, parameter.low, parameter.high,
              value, whole && !is_plain_integer(value) ? ", with leading zeros" : "");
      return;
    }
    case ParameterType::kFlag:
    case ParameterType::kChoice:
      if (std::ranges::find(parameter.choices, value) == parameter.choices.end())
        throw_unknown(fmt::format("value of {}", what), value, parameter.choices);
      return;
    case ParameterType::kText:
      return;
  }
}

std::string origin_name(Origin origin) {
  constexpr const char* kNames[] = {"given", "config", "tuned", "preset", "default"};
  return kNames[static_cast<int>(origin)];
}

Parameters::Parameters(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) values_[setting.name] = setting.value;
}

const std::string& Parameters::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error("no parameter '" + name + "'");
  return found->second;
}

double Parameters::number(const std::string& name) const {
  double value = 0;
  if (!reads(text(name), value)) throw std::logic_error("'" + name + "' is no number");
  return value;
}

std::int64_t Parameters::integer(const std::string& name) const {
  std::int64_t value = 0;
  if (!reads(text(name), value)) throw std::logic_error("'" + name + "' is no integer");
  return value;
}

std::string component_name(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  require(!name.empty(), "'{}' names no component; expected name[:key=value,...]", text);
  return std::string(name);
}

std::vector<Setting> given_parameters(const Component& component, std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view rest = text.substr(colon + 1);
  if (component.takes_text)
    return {{component.parameters[0].name, std::string(rest), Origin::kGiven}};
  std::vector<Setting> out;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto equals = item.find('=');
    require(equals != std::string_view::npos && equals > 0, "'{}' in '{}' is not key=value", item,
            text);
    Setting setting{std::string(item.substr(0, equals)), std::string(item.substr(equals + 1)),
                    Origin::kGiven};
    require(find_setting(out, setting.name) == nullptr, "'{}' is given twice in '{}'", setting.name,
            text);
    check_value(find_parameter(component, setting.name),
                fmt::format("{}: {}", component.name, setting.name), setting.value);
    out.push_back(std::move(setting));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return out;
}

std::vector<Setting> resolve_parameters(const Component& component, std::span<const Setting> given,
                                        std::span<const Setting> suggested, Facts facts) {
  std::vector<Setting> out;
  for (const ParameterInfo& info : component.parameters) {
    const Setting* chosen = find_setting(given, info.name);
    if (chosen == nullptr) chosen = find_setting(suggested, info.name);
    out.push_back(chosen != nullptr
                      ? *chosen
                      : Setting{info.name, default_of(info, facts), Origin::kDefault});
    out.back().type = info.type;
    facts[info.name] = out.back().value;
  }
  return out;
}

std::string component_text(const Component& component, std::span<const Setting> parameters) {
  if (component.takes_text)
    return parameters.empty() ? component.name : component.name + ":" + parameters[0].value;
  std::string out = component.name;
  char separator = ':';
  for (const Setting& setting : parameters) {
    out += fmt::format("{}{}={}", separator, setting.name, setting.value);
    separator = ',';
  }
  return out;
}

}  // namespace mcns

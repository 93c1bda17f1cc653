#include "mcns/plan/resolve.h"

#include <algorithm>
#include <cmath>

#include "mcns/plan/defaults.h"
#include "mcns/plan/negative_count.h"

namespace mcns {
namespace {

void check_given(const GivenSetting& given, const Components& components) {
  const std::string& name = given.info.name;
  if (name == "model") {
    const auto known = model_names();
    if (std::ranges::find(known, *given.value) == known.end())
      throw_unknown("model", *given.value, known);
    return;
  }
  if (name == "negatives") {
    NegativeCount count;
    return read_text(*given.value, count);
  }
  const Component* component = find_component(name, *given.value, components);
  if (component == nullptr) return check_value(given.info, "--" + name, *given.value);
  const auto parameters = given_parameters(*component, *given.value);
  if (name != "sampler") return;
  const SamplerEntry& sampler = components.samplers.find(*given.value);
  if (sampler.check)
    sampler.check(Parameters(resolve_parameters(sampler, parameters, {}, {})), components.samplers);
}

class Resolver {
 public:
  Resolver(const std::vector<GivenSetting>& given, ResolveContext context)
      : given_(given), context_(std::move(context)) {}

  std::vector<Setting> run() {
    for (const GivenSetting& one : given_) {
      if (!one.value) continue;
      if (one.info.name == "model" || one.info.name == "preset") take_given(one);
      check_given(one, context_.components);
      note({one.info.name, *one.value});
    }
    if (context_.tuned != nullptr)
      for (const auto& [name, value] : *context_.tuned)
        if (name.find('.') == std::string::npos && !is_given(name)) note({name, value});
    for (const std::string& name : settings_in_order()) {
      const auto found = std::ranges::find(given_, name, [](const auto& g) { return g.info.name; });
      if (found != given_.end()) resolve(*found);
    }
    for (const GivenSetting& one : given_)
      if (one.value && find_setting(out_, one.info.name) == nullptr) take_given(one);
    std::vector<Setting> parameters;
    for (const Setting& setting : out_) add_parameters(setting, parameters);
    std::vector<Setting> sorted;
    for (const GivenSetting& one : given_)
      if (const Setting* setting = find_setting(out_, one.info.name)) sorted.push_back(*setting);
    sorted.insert(sorted.end(), parameters.begin(), parameters.end());
    return sorted;
  }

  const Facts& facts() const { return context_.facts; }

 private:
  Origin origin(const std::string& name) const {
    return context_.from_config.contains(name) ? Origin::kConfig : Origin::kGiven;
  }

  bool is_given(const std::string& name) const {
    return std::ranges::any_of(
        given_, [&](const GivenSetting& one) { return one.info.name == name && one.value; });
  }
  const std::string* find_tuned(const std::string& name) const {
    if (context_.tuned == nullptr) return nullptr;
    const auto found = context_.tuned->find(name);
    return found == context_.tuned->end() ? nullptr : &found->second;
  }

  void take_given(const GivenSetting& one) {
    check_given(one, context_.components);
    add({one.info.name, *one.value, origin(one.info.name), one.info.type});
  }

  void resolve(const GivenSetting& one) {
    if (one.value) return take_given(one);
    if (const std::string* tuned = find_tuned(one.info.name)) {
      check_given({one.info, *tuned}, context_.components);
      return add({one.info.name, *tuned, Origin::kTuned, one.info.type});
    }
    const auto found = find_default(one.info.name, context_.task, context_.facts);
    if (!found)  // a hole in the table: what reads the plan relies on a value
      throw_error(ErrorKind::kRuntime, "--{} has no default for --task {}; give it a value",
                  one.info.name, task_name(context_.task));
    add({one.info.name, value_of(one.info, found->value), found->from, one.info.type});
  }

  /// A default as a value: formulas are evaluated.
  std::string value_of(const ParameterInfo& info, const std::string& text) const {
    if (info.type == ParameterType::kNumber)
      return number_text(evaluate_formula(text, context_.facts));
    if (info.type == ParameterType::kInteger)
      return std::to_string(
          static_cast<std::int64_t>(std::floor(evaluate_formula(text, context_.facts))));
    return text;
  }

  void add(Setting setting) {
    note(setting);
    if (setting.name == "negatives" && context_.facts["shared"] == "false")
      setting.type = ParameterType::kInteger;
    out_.push_back(std::move(setting));
  }

  /// What conditions may ask of a setting. Of given ones they may ask from the start.
  void note(const Setting& setting) {
    Facts& facts = context_.facts;
    const Component* component = find_component(setting.name, setting.value, context_.components);
    facts[setting.name] = component != nullptr ? component->name : setting.value;
    if (setting.name == "negatives") {
      NegativeCount negatives;
      read_text(setting.value, negatives);
      facts["negatives"] = std::to_string(negatives.count);
      facts["shared"] = setting_text(negatives.shared);
    }
    if (setting.name == "sampler") {
      const SamplerEntry& sampler = context_.components.samplers.find(setting.value);
      facts["hard"] = setting_text(sampler.harder);
      facts["pools"] = setting_text(sampler.pools);
      facts["specified"] = setting_text(setting.value != component_name(setting.value));
    }
    if (setting.name == "encoder")
      facts["network"] = setting_text(context_.components.encoders.find(setting.value).network);
  }

  /// Positives have their parameters by now.
  void note_breadth(const std::vector<Setting>& parameters) {
    if (!context_.breadth || context_.facts["hard"] != "true") return;
    std::vector<Setting> settings = out_;
    settings.insert(settings.end(), parameters.begin(), parameters.end());
    context_.facts["breadth"] = number_text(
        context_.breadth(component_setting(settings, "positives", context_.components, true),
                         context_.facts["filter"]));
  }

  void add_parameters(const Setting& setting, std::vector<Setting>& out) {
    const Component* component = find_component(setting.name, setting.value, context_.components);
    if (component == nullptr) return;
    if (setting.name == "sampler") note_breadth(out);
    std::vector<Setting> given = given_parameters(*component, setting.value), suggested;
    for (Setting& one : given) one.from = setting.from;
    for (const ParameterInfo& info : component->parameters) {
      const std::string name = setting.name + "." + info.name;
      if (const std::string* tuned = find_tuned(name)) {
        check_value(info, name, *tuned);
        suggested.push_back({info.name, *tuned, Origin::kTuned});
        continue;
      }
      const auto found = find_default(name, context_.task, context_.facts);
      if (found) suggested.push_back({info.name, value_of(info, found->value), found->from});
    }
    for (Setting& one : resolve_parameters(*component, given, suggested, context_.facts)) {
      one.name = setting.name + "." + one.name;
      context_.facts[one.name] = one.value;
      out.push_back(std::move(one));
    }
  }

  const std::vector<GivenSetting>& given_;
  ResolveContext context_;
  std::vector<Setting> out_;
};

}  // namespace

std::vector<Setting> resolve_settings(const std::vector<GivenSetting>& given,
                                      ResolveContext context, Facts* facts) {
  Resolver resolver(given, context);
  std::vector<Setting> out = resolver.run();
  if (facts != nullptr) *facts = resolver.facts();
  // A component's own setting is its name; what was written with it are settings of their own.
  for (Setting& setting : out)
    if (find_component(setting.name, setting.value, context.components) != nullptr)
      setting.value = component_name(setting.value);
  if (context.tuned != nullptr)
    for (const auto& [name, value] : *context.tuned)
      require(find_setting(out, name) != nullptr, "there is no setting '{}' to tune here", name);
  return out;
}

void check_components(const std::vector<GivenSetting>& given, const Components& components) {
  for (const GivenSetting& one : given)
    if (one.value) check_given(one, components);
}

const Component* find_component(const std::string& setting, const std::string& text,
                                const Components& components) {
  if (setting == "sampler") return &components.samplers.find(text);
  if (setting == "encoder") return &components.encoders.find(text);
  if (setting == "positives") return &components.positives.find(text);
  if (setting == "loss") return &components.losses.find(text);
  if (setting == "optimizer") return &components.optimizers.find(text);
  return nullptr;
}

const Setting* find_setting(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? nullptr : &*found;
}

std::string component_setting(const std::vector<Setting>& settings, const std::string& name,
                              const Components& components, bool complete) {
  const Setting* setting = find_setting(settings, name);
  const Component* component = find_component(name, setting->value, components);
  std::vector<Setting> parameters;
  for (const ParameterInfo& info : component->parameters) {
    const Setting* one = find_setting(settings, name + "." + info.name);
    if (one != nullptr && (complete || one->from != Origin::kDefault))
      parameters.push_back({info.name, one->value, one->from});
  }
  return component_text(*component, parameters);
}

}  // namespace mcns

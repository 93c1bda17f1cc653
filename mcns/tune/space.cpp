#include "mcns/tune/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mcns/core/rng.h"
#include "mcns/plan/defaults.h"

namespace mcns {
namespace {

int prime(int index) {
  int candidate = 2;
  for (;; ++candidate) {
    bool divided = false;
    for (int d = 2; d * d <= candidate && !divided; ++d) divided = candidate % d == 0;
    if (!divided && index-- == 0) return candidate;
  }
}

/// To three digits, so that files stay readable; inside the range.
double rounded(double value, const Dimension& range, bool integer) {
  double step = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  if (integer) step = std::max(1.0, step);
  // Division by a power of ten keeps 0.035 from becoming 0.035000000000000003.
  const auto at = [&](double steps) {
    return step < 1 ? steps / std::round(1 / step) : steps * step;
  };
  const double steps = value / step;
  const double nearest = at(std::round(steps));
  if (nearest < range.low) return std::min(range.high, at(std::ceil(range.low / step)));
  if (nearest > range.high) return std::max(range.low, at(std::floor(range.high / step)));
  return nearest;
}

std::string value_at(double share, const Dimension& range, bool integer) {
  const bool log = range.scale == Scale::kLog;
  const double low = log ? std::log(range.low) : range.low,
               high = log ? std::log(range.high) : range.high;
  const double between = low + share * (high - low);
  const double value = log ? std::exp(between) : between;
  if (value == 0) return "0";
  const double out = rounded(value, range, integer);
  return integer ? std::to_string(std::llround(out)) : number_text(out);
}

/// Whether there is anything to choose.
bool is_open(const Dimension& d) {
  if (!d.values.empty()) return true;
  return d.low < d.high && (d.scale == Scale::kLinear || d.low > 0);
}

/// The range of the first tuning whose condition holds, within what the parameter allows.
Dimension dimension_of(const ParameterInfo& info, const Setting& setting, Facts facts) {
  facts["default"] = setting.value;
  Dimension out{.name = setting.name, .value = setting.value, .values = {}};
  for (const Tuning& tuning : info.tunings) {
    if (!holds(tuning.condition, facts)) continue;
    out.scale = tuning.scale;
    out.values = tuning.values;
    if (!out.values.empty()) return out;
    out.low = std::max(info.low, evaluate_formula(tuning.low, facts));
    out.high = std::min(info.high, evaluate_formula(tuning.high, facts));
    if (info.type == ParameterType::kInteger) {
      out.low = std::ceil(out.low);
      out.high = std::floor(out.high);
    }
    return out;
  }
  return out;
}

/// The options in the order in which they are resolved.
std::vector<OptionInfo> options_in_order() {
  std::vector<OptionInfo> out;
  const auto all = given_settings(TrainOptions{});
  for (const std::string& name : settings_in_order())
    for (const GivenSetting& one : all)
      if (one.info.name == name) out.push_back(one.info);
  return out;
}

/// The facts of the plan and, under their own names, a component's parameters.
Facts facts_for(const Plan& plan, const std::string& component) {
  Facts out = plan.facts;
  for (const Setting& setting : plan.settings)
    if (setting.name.starts_with(component + "."))
      out[setting.name.substr(component.size() + 1)] = setting.value;
  return out;
}

}  // namespace

double scrambled_halton(std::uint64_t seed, int dimension, std::uint64_t index) {
  const int base = prime(dimension);
  double out = 0, scale = 1;
  std::vector<int> digits(base);
  for (std::uint64_t level = 0; scale > 1e-10; ++level, index /= base) {
    std::iota(digits.begin(), digits.end(), 0);
    Rng rng(seed, Domain::kTuning, static_cast<std::uint64_t>(dimension), level);
    for (int i = base - 1; i > 0; --i) std::swap(digits[i], digits[rng.below(i + 1)]);
    scale /= base;
    out += digits[index % base] * scale;
  }
  return std::min(out, std::nextafter(1.0, 0.0));
}

std::string Dimension::range_text() const {
  if (!values.empty()) return joined(values);
  return fmt::format("{:.4g} to {:.4g}{}", low, high, scale == Scale::kLog ? ", log" : "");
}

Plan SearchSpace::plan_of(const TrainOptions& options, const TunedSettings& changes) const {
  return make_plan(options, experiment_.task, graph_, *experiment_.components,
                   experiment_.from_config, changes);
}

Plan SearchSpace::plan(const TunedSettings& changes, std::optional<int> epochs) const {
  TrainOptions options = experiment_.train;
  if (epochs) options.epochs = epochs;
  return plan_of(options, changes);
}

void SearchSpace::visit(TunedSettings& chosen, const Choose& choose) const {
  Plan plan = plan_of(experiment_.train, chosen);
  int position = 0;
  const auto consider = [&](const std::string& name, const ParameterInfo& info,
                            const Facts& facts) {
    const Setting* setting = find_setting(plan.settings, name);
    const bool given =
        setting == nullptr || setting->from == Origin::kGiven || setting->from == Origin::kConfig;
    if (given || info.tunings.empty()) return;
    const int at = position++;  // whether open or not: others keep their sequence
    const Dimension dimension = dimension_of(info, *setting, facts);
    if (!is_open(dimension)) return;
    const auto value = choose(at, dimension, info);
    if (!value || *value == setting->value) return;
    chosen[name] = *value;
    try {
      plan = plan_of(experiment_.train, chosen);
    } catch (const Error&) {
      chosen.erase(name);  // it does not fit what the user gave
    }
  };
  for (const OptionInfo& info : options_in_order()) consider(info.name, info, plan.facts);
  for (const std::string of : {"encoder", "positives", "sampler", "loss", "optimizer"}) {
    const Component* component =
        find_component(of, find_setting(plan.settings, of)->value, *experiment_.components);
    for (const ParameterInfo& info : component->parameters)
      consider(of + "." + info.name, info, facts_for(plan, of));
  }
}

std::vector<Dimension> SearchSpace::dimensions() const {
  std::vector<Dimension> out;
  TunedSettings none;
  visit(none, [&](int, const Dimension& dimension, const ParameterInfo&) {
    out.push_back(dimension);
    return std::nullopt;
  });
  return out;
}

TunedSettings SearchSpace::setting(int index) const {
  TunedSettings chosen;
  if (index == 0) return chosen;
  const auto choose = [&](int position, const Dimension& dimension, const ParameterInfo& info) {
    const double share = scrambled_halton(experiment_.random_seed(), position, index);
    if (dimension.values.empty())
      return std::optional(value_at(share, dimension, info.type == ParameterType::kInteger));
    const auto count = static_cast<double>(dimension.values.size());
    return std::optional(dimension.values[static_cast<std::size_t>(share * count)]);
  };
  visit(chosen, choose);
  return chosen;
}

}  // namespace mcns

// Description of a component: its name, its parameters with type, range and default,
// and how the user writes it, `dns:candidates=8`. A registry (registry.h) holds one entry per
// component, which adds a factory and what that kind of component needs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/core/facts.h"

namespace mcns {

enum class ParameterType { kNumber, kInteger, kFlag, kChoice, kText };

struct Range {
  double low, high;
};

enum class Scale { kLinear, kLog };

/// Where good values of a parameter may be found (tune/space.h): a range or a list. The condition
/// and the bounds, which are formulas, may use the facts of the run, the component's parameters and
/// `default`, the value without tuning (facts.h).
struct Tuning {
  std::string condition;
  std::string low, high;  ///< of a range
  Scale scale = Scale::kLinear;
  std::vector<std::string> values;  ///< in place of a range
};

/// One parameter. The default of a number may be a formula (facts.h); `otherwise` has other
/// defaults under conditions on the graph, on --dim, or on the component's parameters listed
/// before. The first that holds counts.
struct ParameterInfo {
  struct Otherwise {
    std::string condition, value;
  };

  std::string name;
  ParameterType type = ParameterType::kText;
  std::string default_value, help;
  double low = 0, high = 0;          ///< of numbers
  std::vector<std::string> choices;  ///< of a choice
  std::vector<Otherwise> otherwise;
  std::vector<Tuning> tunings;  ///< the first whose condition holds counts; none: never tuned

  /// Adds another default.
  ParameterInfo when(std::string condition, std::string value) const;
  /// Adds a range to tune in; in that of integers, values are rounded.
  ParameterInfo tuned(Range range, Scale scale, std::string condition = "") const;
  /// The same with formulas as bounds.
  ParameterInfo tuned_between(std::string low, std::string high, Scale scale,
                              std::string condition = "") const;
  /// From `low` times to `high` times the default, on a logarithmic scale.
  ParameterInfo tuned_by_factor(double low, double high, std::string condition = "") const;
  ParameterInfo tuned_among(std::vector<std::string> values, std::string condition = "") const;
  /// "0.5 (0.25 with form=paper)", for people.
  std::string default_text() const;
};

ParameterInfo number_parameter(std::string name, std::string value, Range range, std::string help);
ParameterInfo integer_parameter(std::string name, std::string value, Range range, std::string help);
ParameterInfo flag_parameter(std::string name, bool value, std::string help);
ParameterInfo choice_parameter(std::string name, std::vector<std::string> choices,
                               std::string value, std::string help);
ParameterInfo text_parameter(std::string name, std::string value, std::string help);

/// Throws a usage error with `what` ("dns: candidates", "--lr") unless `value` fits the parameter.
void check_value(const ParameterInfo& parameter, const std::string& what, const std::string& value);

/// What registry entries begin with.
struct Component {
  std::string name, help;
  std::vector<ParameterInfo> parameters = {};
  /// The text after the colon is one value, the first parameter's, whatever it holds.
  bool takes_text = false;
};

/// Where a setting's value came from; a later one never replaces an earlier one.
enum class Origin { kGiven, kConfig, kTuned, kPreset, kDefault };
std::string origin_name(Origin origin);

struct Setting {
  std::string name, value;
  Origin from = Origin::kDefault;
  ParameterType type = ParameterType::kText;  ///< for files that distinguish numbers and text
};

/// The values of a component's parameters, every one of them present.
class Parameters {
 public:
  explicit Parameters(const std::vector<Setting>& settings);

  double number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  int small(const std::string& name) const { return static_cast<int>(integer(name)); }
  bool flag(const std::string& name) const { return text(name) == "true"; }
  const std::string& text(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

/// `dns` of `dns:candidates=8`. Throws where there is none.
std::string component_name(std::string_view text);

/// The parameters that `text` gives, in the order of the component's. Throws for one that the
/// component lacks, is given twice, or does not fit.
std::vector<Setting> given_parameters(const Component& component, std::string_view text);

/// Every parameter: the given ones, then those of `suggested`, the rest by default. `facts` are
/// those of the graph and of the run; `suggested` may be of any origin.
std::vector<Setting> resolve_parameters(const Component& component, std::span<const Setting> given,
                                        std::span<const Setting> suggested, Facts facts);

/// The text that gives all of `parameters`: `dns:candidates=8`.
std::string component_text(const Component& component, std::span<const Setting> parameters);

}  // namespace mcns

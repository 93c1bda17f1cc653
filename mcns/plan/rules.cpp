#include "mcns/plan/rules.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "mcns/plan/defaults.h"

namespace mcns {
namespace {

/// Facts by their names in the formula, each once; functions are none.
std::vector<std::pair<std::string, std::string>> numbers_in(const std::string& formula,
                                                            const Facts& facts) {
  std::vector<std::pair<std::string, std::string>> out;
  std::string word;
  for (const char c : formula + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += c;
      continue;
    }
    const auto fact = facts.find(std::exchange(word, {}));
    if (fact != facts.end() &&
        std::ranges::find(out, std::pair(fact->first, fact->second)) == out.end())
      out.emplace_back(fact->first, fact->second);
  }
  return out;
}

}  // namespace

std::string Rule::numbers_text() const {
  std::string out;
  for (const auto& [name, value] : numbers) out += (out.empty() ? "" : ", ") + name + " " + value;
  return out;
}

std::vector<Rule> rules_of(const Plan& plan) {
  const Task task = parse_task(plan.facts.at("task"));
  std::vector<Rule> out;
  for (const Setting& setting : plan.settings) {
    if (setting.from != Origin::kDefault && setting.from != Origin::kPreset) continue;
    if (setting.type != ParameterType::kNumber && setting.type != ParameterType::kInteger) continue;
    const auto found = find_default(setting.name, task, plan.facts);
    if (!found) continue;
    auto numbers = numbers_in(found->value, plan.facts);
    if (!numbers.empty()) out.push_back({setting.name, found->value, std::move(numbers)});
  }
  return out;
}

}  // namespace mcns

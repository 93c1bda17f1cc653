#include "mcns/core/facts.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace mcns {
namespace {

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double call(std::string_view name, const std::vector<double>& x) {
  const auto takes = [&](std::string_view what, std::size_t count) {
    return name == what && x.size() == count;
  };
  if (takes("min", 2)) return std::min(x[0], x[1]);
  if (takes("max", 2)) return std::max(x[0], x[1]);
  if (takes("clamp", 3)) return std::clamp(x[0], x[1], x[2]);
  if (takes("sqrt", 1)) return std::sqrt(x[0]);
  if (takes("log", 1)) return std::log(x[0]);
  if (takes("round", 1)) return std::round(x[0]);
  if (takes("floor", 1)) return std::floor(x[0]);
  if (takes("ceil", 1)) return std::ceil(x[0]);
  if (takes("pow2", 1))
    return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max(1.0, x[0]))));
  throw std::logic_error(fmt::format("no function {} of {} values", name, x.size()));
}

/// Recursive descent: sum of products of factors.
class Formula {
 public:
  Formula(std::string_view text, const Facts& facts) : text_(text), rest_(text), facts_(facts) {}

  double value() {
    const double out = sum();
    if (!rest_.empty()) fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::logic_error(fmt::format("cannot read the formula '{}' at '{}'", text_, rest_));
  }
  char peek() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  double sum() {
    double out = product();
    for (;;) {
      if (take('+'))
        out += product();
      else if (take('-'))
        out -= product();
      else
        return out;
    }
  }
  double product() {
    double out = factor();
    for (;;) {
      if (take('*'))
        out *= factor();
      else if (take('/'))
        out /= factor();
      else
        return out;
    }
  }
  double factor() {
    if (take('-')) return -factor();
    if (take('(')) {
      const double out = sum();
      if (!take(')')) fail();
      return out;
    }
    double number = 0;
    peek();
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (code == std::errc()) {
      rest_.remove_prefix(end - rest_.data());
      return number;
    }
    return named();
  }
  double named() {
    std::size_t size = 0;
    const auto is_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (size < rest_.size() && is_name(rest_[size])) ++size;
    if (size == 0) fail();
    const std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    if (take('(')) {
      std::vector<double> values = {sum()};
      while (take(',')) values.push_back(sum());
      if (!take(')')) fail();
      return call(name, values);
    }
    const auto fact = facts_.find(name);
    if (fact == facts_.end())
      throw std::logic_error(fmt::format("the formula '{}' names no fact: {}", text_, name));
    const auto value = to_number(fact->second);
    if (!value)
      throw std::logic_error(
          fmt::format("the formula '{}' needs a number, {} is '{}'", text_, name, fact->second));
    return *value;
  }

  std::string_view text_, rest_;
  const Facts& facts_;
};

bool one_holds(std::string_view condition, const Facts& facts) {
  const auto at = condition.find_first_of("=<>");
  const auto fact = facts.find(std::string(condition.substr(0, at)));
  if (fact == facts.end()) return false;
  if (at == std::string_view::npos) return fact->second != "false";
  const std::string_view bound = condition.substr(at + 1);
  if (condition[at] == '=') return fact->second == bound;
  const auto value = to_number(fact->second), limit = to_number(bound);
  if (!value || !limit)
    throw std::logic_error(fmt::format("the condition '{}' compares no numbers", condition));
  return condition[at] == '<' ? *value < *limit : *value > *limit;
}

}  // namespace

double evaluate_formula(std::string_view formula, const Facts& facts) {
  return Formula(formula, facts).value();
}

bool holds(std::string_view condition, const Facts& facts) {
  while (!condition.empty()) {
    const auto blank = condition.find(' ');
    if (blank != 0 && !one_holds(condition.substr(0, blank), facts)) return false;
    condition = blank == std::string_view::npos ? std::string_view{} : condition.substr(blank + 1);
  }
  return true;
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace mcns

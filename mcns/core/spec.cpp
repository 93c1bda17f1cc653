#include "mcns/core/spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "mcns/core/error.h"

namespace mcns {

Spec Spec::parse(std::string_view text) {
  Spec spec;
  spec.text_ = text;
  const auto colon = text.find(':');
  spec.name_ = text.substr(0, colon);
  require(!spec.name_.empty(), "'{}' names no component; expected name[:key=value,...]", text);
  if (colon == std::string_view::npos) return spec;
  std::string_view rest = text.substr(colon + 1);
  if (spec.name_ == "file" || spec.name_ == "mix") {
    spec.values_["value"] = rest;
    return spec;
  }
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto equals = item.find('=');
    require(equals != std::string_view::npos && equals > 0, "'{}' in '{}' is not key=value", item,
            text);
    const auto [_, fresh] = spec.values_.emplace(item.substr(0, equals), item.substr(equals + 1));
    require(fresh, "'{}' is given twice in '{}'", item.substr(0, equals), text);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return spec;
}

const std::string* Spec::take(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

double Spec::number(const std::string& key, double fallback, double low, double high) {
  const std::string* text = take(key);
  if (text == nullptr) return fallback;
  double value = 0;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
  require(
      code == std::errc() && end == text->data() + text->size() && value >= low && value <= high,
      "{}: {} must be a number in [{}, {}], got '{}'", name_, key, low, high, *text);
  return value;
}

std::int64_t Spec::integer(const std::string& key, std::int64_t fallback, std::int64_t low,
                           std::int64_t high) {
  const std::string* text = take(key);
  if (text == nullptr) return fallback;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
  require(
      code == std::errc() && end == text->data() + text->size() && value >= low && value <= high,
      "{}: {} must be an integer in [{}, {}], got '{}'", name_, key, low, high, *text);
  return value;
}

bool Spec::flag(const std::string& key, bool fallback) {
  return choice(key, fallback ? "true" : "false", {"true", "false"}) == "true";
}

std::string Spec::choice(const std::string& key, const std::string& fallback,
                         const std::vector<std::string>& choices) {
  const std::string* text = take(key);
  if (text == nullptr) return fallback;
  if (std::find(choices.begin(), choices.end(), *text) == choices.end())
    throw_unknown(fmt::format("value of {}:{}", name_, key), *text, choices);
  return *text;
}

std::string Spec::string(const std::string& key, const std::string& fallback) {
  const std::string* text = take(key);
  return text == nullptr ? fallback : *text;
}

void Spec::finish() const {
  for (const auto& [key, value] : values_)
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      require(!known_.empty(), "{} takes no parameters, got '{}'", name_, key);
      throw_unknown(fmt::format("parameter of {}", name_), key, known_);
    }
}

}  // namespace mcns

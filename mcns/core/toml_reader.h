// Files in TOML, read with messages that name file and line.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcns/core/component.h"
#include "mcns/core/error.h"
#include "mcns/core/toml_library.h"

namespace mcns {

[[noreturn]] inline void throw_toml_error(const std::string& path, const toml::parse_error& error) {
  std::string what(error.description());
  if (what.find("could not determine value type") != std::string::npos)
    what += "; a text stands in quotation marks";
  throw_bad_data(path, error.source().begin.line, what);
}

/// The text of the file at `path`.
inline toml::table parse_toml_text(const std::string& text, const std::string& path) {
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw_toml_error(path, error);
  }
}

inline toml::table parse_toml(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw_error(ErrorKind::kIo, "cannot read {}: no such file", path);
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw_toml_error(path, error);
  }
}

inline std::string text_of(const toml::node& node, const std::string& path) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return number_text(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw_bad_data(path, node.source().begin.line, "expected a text, a number or true or false");
}

/// Reads with messages that name file and line; every key must be known.
class Reader {
 public:
  Reader(const toml::table& table, std::string path) : table_(table), path_(std::move(path)) {}

  void known(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, node] : table_)
      if (std::ranges::find(names, key.str()) == names.end())
        throw_bad_data(path_, key.source().begin.line, fmt::format("unknown key '{}'", key.str()));
  }
  std::string text(const char* name, std::optional<std::string> otherwise = std::nullopt) const {
    const auto* node = table_.get(name);
    if (node != nullptr) return text_of(*node, path_);
    if (!otherwise) missing(name);
    return *otherwise;
  }
  double number(const char* name, std::optional<double> otherwise = std::nullopt) const {
    const auto* node = table_.get(name);
    if (node == nullptr && otherwise) return *otherwise;
    if (node == nullptr) missing(name);
    const auto value = node->value<double>();
    if (!value)
      throw_bad_data(path_, node->source().begin.line, fmt::format("'{}' is no number", name));
    return *value;
  }
  /// Within [range.low, range.high].
  int integer(const char* name, int otherwise, Range range) const {
    const auto* node = table_.get(name);
    if (node == nullptr) return otherwise;
    const auto* value = node->as_integer();
    const double given = value == nullptr ? range.low - 1 : static_cast<double>(value->get());
    if (given < range.low || given > range.high)
      throw_bad_data(
          path_, node->source().begin.line,
          fmt::format("'{}' must be an integer from {} to {}", name, range.low, range.high));
    return static_cast<int>(given);
  }
  bool flag(const char* name) const { return table_[name].value_or(false); }
  std::vector<std::string> list(const char* name) const {
    std::vector<std::string> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array) out.push_back(text_of(node, path_));
    return out;
  }
  std::vector<double> numbers(const char* name) const {
    std::vector<double> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array) out.push_back(node.value_or(0.0));
    return out;
  }
  std::vector<std::pair<std::string, std::string>> flags(const std::string& name) const {
    std::vector<std::pair<std::string, std::string>> out;
    if (const auto* table = table_[name].as_table())
      for (const auto& [key, node] : *table) out.emplace_back(key.str(), text_of(node, path_));
    return out;
  }
  std::vector<Reader> tables(const char* name) const {
    std::vector<Reader> out;
    if (const auto* array = table_[name].as_array())
      for (const auto& node : *array)
        if (const auto* table = node.as_table()) out.emplace_back(*table, path_);
    return out;
  }
  std::optional<Reader> table(const std::string& name) const {
    const auto* found = table_[name].as_table();
    return found == nullptr ? std::nullopt : std::optional(Reader(*found, path_));
  }
  /// A number for all, under "", or a table of them.
  std::map<std::string, double> numbers_by_name(const char* name) const {
    std::map<std::string, double> out;
    if (const auto inner = table(name)) {
      for (const auto& [key, value] : inner->table_)
        out[std::string(key.str())] = inner->number(std::string(key.str()).c_str());
    } else {
      out[""] = number(name, 0);
    }
    return out;
  }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void missing(const char* name) const {
    throw_bad_data(path_, table_.source().begin.line, fmt::format("'{}' is missing", name));
  }
  const toml::table& table_;
  std::string path_;
};

}  // namespace mcns

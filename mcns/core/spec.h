// A component as the user names it: `dns:candidates=8,power=0.5`. A factory reads its own keys and
// then calls finish(), which rejects what it did not read by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mcns {

/// One parameter of a component, for `mcns list` and for error messages.
struct ParameterInfo {
  std::string name, default_value, help;
};

class Spec {
 public:
  /// Parses `name[:key=value,...]`; text after `file:` is one positional value, kept whole.
  static Spec parse(std::string_view text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  bool has(const std::string& key) const { return values_.contains(key); }

  double number(const std::string& key, double fallback, double low, double high);
  std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t low,
                       std::int64_t high);
  bool flag(const std::string& key, bool fallback);
  /// One of `choices`.
  std::string choice(const std::string& key, const std::string& fallback,
                     const std::vector<std::string>& choices);
  std::string string(const std::string& key, const std::string& fallback);

  /// Throws if a key was given that no call above asked for.
  void finish() const;

 private:
  const std::string* take(const std::string& key);

  std::string name_, text_;
  std::map<std::string, std::string> values_;
  std::vector<std::string> known_;
};

}  // namespace mcns

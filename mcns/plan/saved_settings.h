// The settings that a run left in its run.json.
#pragma once

#include <string>
#include <vector>

#include "mcns/plan/components.h"

namespace mcns {

class SavedSettings {
 public:
  /// Throws Error(kData) where `text` does not hold the settings of a run; `path` is for messages.
  SavedSettings(const std::string& text, const std::string& path);

  bool has(const std::string& name) const;
  /// Throws Error(kData) where there is no such setting.
  const std::string& text(const std::string& name) const;
  /// Throws Error(kData) where the value is no integer.
  int integer(const std::string& name) const;
  /// Throws Error(kData) where the value is no number.
  double number(const std::string& name) const;
  /// `dns:candidates=8`: a component with all its parameters. A setting that is no component has
  /// none. Throws Error(kData) for a component or parameter that does not exist or does not fit.
  std::string component(const std::string& name) const;

  /// Throws Error(kData) where a setting of training has a value that no run takes. Components are
  /// checked when they are asked for.
  void check_values() const;

  /// What the user would have to give: components in one piece, their parameters left out.
  std::vector<Setting> flags() const;

 private:
  std::string path_;
  std::vector<Setting> settings_;
};

}  // namespace mcns

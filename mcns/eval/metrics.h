// Figures of one evaluation: flat names, in the order in which they are reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mcns {

/// A fraction in [0, 1]. A '/' in a name nests: "10/micro_f1" is the key micro_f1 of the object 10.
struct Metric {
  std::string name;
  double value = 0;
  friend bool operator==(const Metric&, const Metric&) = default;
};
using Metrics = std::vector<Metric>;

/// The value called `name`; an error that lists the names there are if none is.
double value_of(const Metrics& metrics, std::string_view name);

}  // namespace mcns

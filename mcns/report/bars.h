// Horizontal bars with their names, in parts, with whiskers, and with a mark for another figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/report/svg.h"

namespace mcns {

struct Bar {
  std::string label;
  std::vector<double> parts;  ///< end to end
  double deviation = 0;       ///< of the whole; 0: no whisker
  std::optional<double> mark = std::nullopt;
  std::string text;  ///< after the bar
};

struct BarChart {
  std::string title, x_label;
  std::vector<std::string> parts = {};  ///< names of the parts, for a legend
  std::string mark = "";                ///< name of the mark
  std::vector<Bar> bars = {};
};

/// A whole <svg> element, as tall as it has bars.
std::string bar_chart(const BarChart& chart);

}  // namespace mcns

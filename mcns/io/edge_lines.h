// One line of an edge list: its fields by their roles, checked.
#pragma once

#include <string_view>

#include "mcns/io/text_layout.h"
#include "mcns/io/text_lines.h"

namespace mcns {

/// What a line says beside the ends of its edge.
struct LineValues {
  float value = 0;
  double time = 0;
};

/// Whether a value fits its column.
bool is_valid(double value, ThirdColumn third);

class LineParser {
 public:
  LineParser(TextLayout layout, const TextOptions& options);

  enum class Line { kNone, kEdge, kLowRated };

  /// Splits and checks a line; throws LineError.
  Line parse(std::string_view line, Fields& fields, LineValues& values) const;

  const TextLayout& layout() const { return layout_; }
  int source() const { return layout_[Role::kSource]; }
  int target() const { return layout_[Role::kTarget]; }
  int value() const { return value_; }
  ThirdColumn third() const { return third_; }
  /// Lines begin with both ids and perhaps a value, and nothing else is read.
  bool is_plain() const;

 private:
  void check_columns(const Fields& fields) const;
  float parse_value(std::string_view field) const;
  double parse_rating(std::string_view field) const;
  double parse_moment(std::string_view field) const;

  TextLayout layout_;
  ThirdColumn third_;
  double min_rating_;
  int value_;  ///< the column of weights or labels, -1 without
};

}  // namespace mcns

#include "mcns/io/edge_lines.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mcns/core/names.h"
#include "mcns/io/times.h"

namespace mcns {

bool is_valid(double value, ThirdColumn third) {
  if (third == ThirdColumn::kLabel) return value == 0 || value == 1;
  return value >= 0 && std::isfinite(static_cast<float>(value));
}

LineParser::LineParser(TextLayout layout, const TextOptions& options)
    : layout_(std::move(layout)),
      third_(options.third),
      min_rating_(options.min_rating.value_or(0)),
      value_(layout_[third_ == ThirdColumn::kLabel ? Role::kLabel : Role::kWeight]) {}

LineParser::Line LineParser::parse(std::string_view line, Fields& fields,
                                   LineValues& values) const {
  if (!is_data_line(line)) {
    check_text(line);
    return Line::kNone;
  }
  split_line(line, layout_.separator, fields);
  check_columns(fields);
  if (fields[source()].empty() || fields[target()].empty()) throw LineError("an id is empty");
  if (value_ >= 0) values.value = parse_value(fields[value_]);
  if (const int time = layout_[Role::kTime]; time >= 0) values.time = parse_moment(fields[time]);
  const int rating = layout_[Role::kRating];
  return rating >= 0 && parse_rating(fields[rating]) < min_rating_ ? Line::kLowRated : Line::kEdge;
}

bool LineParser::is_plain() const {
  return source() == 0 && target() == 1 && (value_ < 0 || value_ == 2) &&
         layout_[Role::kTime] < 0 && layout_[Role::kRating] < 0;
}

void LineParser::check_columns(const Fields& fields) const {
  const int got = fields.count(), expected = layout_.columns;
  if (got == expected || (got > expected && layout_.more_columns) ||
      (got == expected + 1 && fields[got - 1].empty()))
    return;
  if (got < 2) throw LineError(fmt::format("expected at least two columns, got '{}'", fields[0]));
  bool integers = true;
  for (int i = 0; i < got; ++i) integers = integers && plain_integer(fields[i]).has_value();
  throw LineError(ragged_line(layout_, got, integers));
}

float LineParser::parse_value(std::string_view field) const {
  const bool is_label = third_ == ThirdColumn::kLabel;
  double value = 0;
  if (!parse_number(field, layout_.separator, value) || !is_valid(value, third_))
    throw LineError(fmt::format("{} '{}' in column {}, expected {}", is_label ? "label" : "weight",
                                field, value_ + 1, is_label ? "0 or 1" : "a finite number >= 0"));
  return static_cast<float>(value);
}

double LineParser::parse_rating(std::string_view field) const {
  double value = 0;
  if (!parse_number(field, layout_.separator, value) || !std::isfinite(value))
    throw LineError(fmt::format("rating '{}' in column {}, expected a number", field,
                                layout_[Role::kRating] + 1));
  return value;
}

double LineParser::parse_moment(std::string_view field) const {
  if (const auto time = parse_time(field)) return *time;
  throw LineError(
      fmt::format("time '{}' in column {}, expected a number or a date as 2024-05-31 "
                  "or 2024-05-31T12:30:00",
                  field, layout_[Role::kTime] + 1));
}

}  // namespace mcns

#include "mcns/io/times.h"

#include <chrono>
#include <cmath>

#include "mcns/io/text_lines.h"

namespace mcns {
namespace {

/// Reads exactly `digits` digits at the front of `text`.
bool take_digits(std::string_view& text, int digits, int& value) {
  if (text.size() < static_cast<std::size_t>(digits)) return false;
  value = 0;
  for (int i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds of a day: 12:30, 12:30:59, 12:30:59.25
bool take_clock(std::string_view& text, double& seconds) {
  int hour = 0, minute = 0, second = 0;
  if (!take_digits(text, 2, hour) || !take(text, ':') || !take_digits(text, 2, minute))
    return false;
  if (take(text, ':') && !take_digits(text, 2, second)) return false;
  if (hour > 24 || minute > 59 || second > 60) return false;
  seconds = 3600.0 * hour + 60.0 * minute + second;
  if (!take(text, '.')) return true;
  double unit = 0.1;
  for (int digit = 0; take_digits(text, 1, digit); unit /= 10) seconds += unit * digit;
  return unit < 0.1;
}

/// Seconds that the zone is ahead: nothing, Z, +02:00, +0200, +02
bool take_zone(std::string_view& text, double& ahead) {
  ahead = 0;
  if (text.empty() || take(text, 'Z') || take(text, 'z')) return true;
  if (text == " UTC" || text == "UTC") {
    text = {};
    return true;
  }
  const double sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return false;
  int hours = 0, minutes = 0;
  if (!take_digits(text, 2, hours)) return false;
  if (!text.empty()) {
    take(text, ':');
    if (!take_digits(text, 2, minutes)) return false;
  }
  ahead = sign * (3600.0 * hours + 60.0 * minutes);
  return true;
}

std::optional<double> parse_date(std::string_view text) {
  int year = 0, month = 0, day = 0;
  if (!take_digits(text, 4, year) || text.empty()) return std::nullopt;
  const char mark = text.front();
  if ((mark != '-' && mark != '/') || !take(text, mark) || !take_digits(text, 2, month) ||
      !take(text, mark) || !take_digits(text, 2, day))
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  double clock = 0, ahead = 0;
  if (take(text, 'T') || take(text, ' ')) {
    if (!take_clock(text, clock) || !take_zone(text, ahead)) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + clock - ahead;
}

}  // namespace

std::optional<double> parse_time(std::string_view text) {
  double value = 0;
  if (parse_number(text, value)) {
    if (!std::isfinite(value)) return std::nullopt;
    return value;
  }
  return parse_date(text);
}

bool is_date(std::string_view text) { return parse_date(text).has_value(); }

bool looks_like_time(double value) {
  constexpr double kFirst = 631152000, kLast = 4102444800;  // 1990, 2100
  for (const double unit : {1.0, 1e3, 1e6, 1e9})
    if (value >= kFirst * unit && value < kLast * unit) return true;
  if (value != std::floor(value) || value < 19000101 || value > 20991231) return false;
  const auto number = static_cast<int>(value);
  const std::chrono::year_month_day date{
      std::chrono::year(number / 10000),
      std::chrono::month(static_cast<unsigned>(number / 100 % 100)),
      std::chrono::day(static_cast<unsigned>(number % 100))};
  return date.ok();
}

}  // namespace mcns

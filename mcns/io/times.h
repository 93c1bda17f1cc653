// Times in tables: numbers (seconds since 1970 or any other count) and ISO 8601 dates.
#pragma once

#include <optional>
#include <string_view>

namespace mcns {

/// A number as it is; a date (2024-05-31, 2024/05/31, with T or a blank before 12:30[:59[.5]], and
/// Z or +02:00 at the end) as seconds since 1970. None for anything else.
std::optional<double> parse_time(std::string_view text);

/// A date as above, not a number.
bool is_date(std::string_view text);

/// A number that is more likely a time than an amount: seconds, milli-, micro- or nanoseconds since
/// 1970 of a year from 1990 to 2099, or a day as 20240531.
bool looks_like_time(double value);

}  // namespace mcns

// Integers of the command line, by the text that was given. CLI11 reads them as C does: 010 is
// eight, and -1 of a number without a sign, or more than 64 bits, is silently the largest one.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "mcns/core/plain_text.h"

namespace mcns::cli {

/// The check of an option whose variable is a T.
template <class T>
CLI::Validator whole_number(T least = 0, T most = std::numeric_limits<T>::max()) {
  const auto problem = [least, most](const std::string& text) -> std::string {
    if (!is_plain_integer(text))
      return fmt::format("expected an integer in decimal digits, without leading zeros, got '{}'",
                         text);
    T value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = code == std::errc() && end == text.data() + text.size();
    if (whole && value >= least && value <= most) return "";
    return fmt::format("expected an integer of at least {} and at most {}, got '{}'", least, most,
                       text);
  };
  return {problem, ""};
}

}  // namespace mcns::cli

// What a reader understood of a file: one line for users, JSON for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mcns {

/// What a reader understood of a file, and what became of its rows.
struct ReadReport {
  std::string file, format = "edges";
  std::string separator;  ///< comma, tab, ...; empty where the format has none
  bool header = false;
  /// Role and column, as the header or else the number from 1 names it: user=userId, item=2.
  std::vector<std::pair<std::string, std::string>> columns;
  std::vector<std::string> ignored;   ///< columns that have no role
  std::vector<std::string> warnings;  ///< what could not be known for certain
  bool weighted = false;
  std::int64_t rows = 0;         ///< read
  std::int64_t merged = 0;       ///< that repeat an earlier one
  std::int64_t low_rated = 0;    ///< dropped: below --min-rating
  std::int64_t self_loops = 0;   ///< dropped
  std::int64_t out_of_core = 0;  ///< dropped: outside of the k-core

  std::int64_t labels_out_of_core = 0;  ///< lines of the file of labels, dropped likewise

  std::int64_t dropped() const { return low_rated + self_loops + out_of_core; }
};

/// "read a.csv: edges, comma, header; user=userId, item=movieId, ignored: title; unweighted; 3 rows
/// read, 0 merged, 1 dropped (rating too low)"
std::string report_line(const ReadReport& report);

/// A JSON object: format, separator, header, columns, ignored, weighted, read, merged, dropped.
std::string report_json(const ReadReport& report);

}  // namespace mcns

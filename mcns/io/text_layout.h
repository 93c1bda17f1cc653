// The layout of a table: where its data begin, how columns are separated, and which is what.
//
// The ends of an edge are what --columns says, else the columns whose names are known words (user
// and item, source and target), else the first two that are neither an index nor known as something
// else. A weight is what --columns says; else, unless the graph is of users and items, a column
// named weight, w, count or value, or in a table without header a third column of numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mcns/io/columns.h"
#include "mcns/io/raw_edges.h"

namespace mcns {

/// What the values beside an edge are.
enum class ThirdColumn {
  kIgnore,
  kWeight,  ///< finite, not negative
  kLabel,   ///< 0 or 1
};

/// Whether times are read. Those that --columns names are in any case.
enum class Times {
  kDrop,
  kIfAny,  ///< where a column is known as time
  kNeed,   ///< refused without
};

struct TextOptions {
  ThirdColumn third = ThirdColumn::kWeight;
  ColumnSpec columns = {};
  std::string separator = {};          ///< empty: found by the first lines
  std::optional<bool> header = {};     ///< unset: found by the first lines
  std::optional<bool> user_item = {};  ///< unset: as the file says
  std::optional<double> min_rating = {};
  Times times = Times::kDrop;
  bool ratings = false;  ///< without header the columns are user, item, rating, time
};

struct TextLayout {
  std::string separator;
  std::size_t begin = 0;              ///< where data begin: after a byte order mark and a header
  std::int64_t first_line = 1;        ///< the number of the line there
  int columns = 0;                    ///< of a line
  bool more_columns = false;          ///< a line may have more of them: a header stands above
  std::array<int, kRoles> column_of;  ///< from 0; -1 where there is none, or it is not wanted
  bool user_item = false;             ///< columns are those of users and items
  bool konect_bipartite = false;      ///< a comment of the file says so, ids are apart
  bool asked_weights = false;
  ReadReport report;  ///< all but counts

  int operator[](Role role) const { return column_of[static_cast<int>(role)]; }
  int& operator[](Role role) { return column_of[static_cast<int>(role)]; }
};

/// Looks at the first lines of a file. Throws Error(kUsage) for columns that are not there,
/// Error(kData) where the file cannot be understood without a word of the user.
TextLayout detect_layout(std::string_view bytes, const TextOptions& options,
                         const std::string& path);

/// The layout of a file of labels: kSource is the node.
TextLayout detect_label_layout(std::string_view bytes, const ColumnSpec& columns,
                               const std::string& path);

/// Says what is wrong with a line of `got` columns, and what the file may be.
std::string ragged_line(const TextLayout& layout, int got, bool integers);

}  // namespace mcns

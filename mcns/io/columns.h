// Which column of a table is what: what the user says with --columns, and what the words of a
// header say by themselves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcns {

enum class Role { kSource, kTarget, kWeight, kRating, kTime, kLabel };
inline constexpr int kRoles = 6;

/// A list as `user=userId,item=movieId,rating=3`: roles and columns, these by name or by number
/// from 1. `user` and `item` are source and target of a user-item graph.
class ColumnSpec {
 public:
  ColumnSpec() = default;
  /// Throws Error(kUsage) for an unknown role, one that is given twice, one without a column, and
  /// for one end of an edge without the other. `flag` is for messages.
  explicit ColumnSpec(const std::string& text, const std::string& flag = "--columns");
  /// "node=...,label=..." of a file of labels.
  static ColumnSpec of_labels(const std::string& text);

  /// The column as the user wrote it; none where the role is not given.
  const std::optional<std::string>& operator[](Role role) const {
    return columns_[static_cast<int>(role)];
  }
  std::optional<std::string>& operator[](Role role) { return columns_[static_cast<int>(role)]; }
  bool has_ends() const { return (*this)[Role::kSource].has_value(); }
  /// The ends were given as user and item.
  bool user_item() const { return user_item_; }
  const std::string& flag() const { return flag_; }

 private:
  std::array<std::optional<std::string>, kRoles> columns_;
  bool user_item_ = false;
  std::string flag_ = "--columns";
};

/// Which part of a column's name is told by a known word: user, item, source, ...; also of labels.
enum class ColumnWord {
  kNone,
  kIndex,  ///< numbers the rows
  kUser,
  kItem,
  kSource,
  kTarget,
  kNode,
  kWeight,
  kRating,
  kTime,
  kLabel
};

/// The meaning of a column's name: "User_ID", "userId" and "user_id:token" are kUser. Words of
/// several languages are known.
ColumnWord column_word(std::string_view name);

/// The column of that name or number, from 0. Throws Error(kUsage) that lists the columns. `names`
/// is empty where the file has no header.
int find_column(const std::string& column, const std::vector<std::string>& names, int columns,
                const std::string& path, const std::string& flag);

}  // namespace mcns

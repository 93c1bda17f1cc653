#include "mcns/io/text_layout.h"

#include <algorithm>
#include <set>

#include "mcns/core/error.h"
#include "mcns/core/names.h"
#include "mcns/io/text_sample.h"

namespace mcns {
namespace {

constexpr Role kAllRoles[] = {Role::kSource, Role::kTarget, Role::kWeight,
                              Role::kRating, Role::kTime,   Role::kLabel};

class LayoutFinder {
 public:
  LayoutFinder(std::string_view bytes, const TextOptions& options, const std::string& path)
      : options_(options), path_(path), sample_(take_sample(bytes, options.separator)) {
    layout_.separator = sample_.separator;
    layout_.column_of.fill(-1);
    layout_.begin = sample_.first;
    layout_.first_line = sample_.first_number;
    layout_.report.separator = separator_word(sample_.separator);
  }

  TextLayout find() {
    if (sample_.rows.empty()) return std::move(layout_);
    if (is_list(sample_.rows.back()))
      throw_bad_data(path_, 0, "lines are lists in brackets; write one edge a line without them");
    take_header();
    read_banner();
    count_columns();
    take_given_columns();
    find_ends();
    find_ratings_and_times();
    find_values();
    report_columns();
    drop_unwanted();
    return std::move(layout_);
  }

  TextLayout find_labels() {
    if (sample_.rows.empty()) return std::move(layout_);
    take_header();
    count_columns();
    take_given_columns();
    if (!options_.columns.has_ends()) {
      layout_[Role::kSource] = column_named(ColumnWord::kNode);
      layout_[Role::kLabel] = column_named(ColumnWord::kLabel);
      if (layout_[Role::kSource] < 0 || layout_[Role::kLabel] < 0) {
        if (layout_.columns > 2)
          throw_bad_data(path_, sample_.first_number,
                         fmt::format("{} columns, expected two columns, a node and its label; "
                                     "--label-columns node=COLUMN,label=COLUMN chooses them",
                                     layout_.columns));
        layout_[Role::kSource] = 0;
        layout_[Role::kLabel] = 1;
      }
    }
    report_columns();
    return std::move(layout_);
  }

 private:
  std::size_t first_row() const { return layout_.report.header ? 1 : 0; }
  SampleColumn below(int column) const { return {sample_, first_row(), column}; }

  void take_header() {
    const HeaderGuess guess = options_.header     ? HeaderGuess::kNo
                              : has_asked_names() ? HeaderGuess::kYes
                                                  : guess_header(sample_);
    const bool header = options_.header.value_or(guess == HeaderGuess::kYes);
    if (guess == HeaderGuess::kUnknown)
      layout_.report.warnings.push_back(
          fmt::format("{}: the first line ({}) is taken as data; if it is a header, say --header "
                      "yes, else --header no",
                      path_, first_fields()));
    if (!header) return;
    layout_.report.header = true;
    layout_.begin = sample_.second;
    ++layout_.first_line;
    for (const SampleField& field : sample_.rows[0]) names_.push_back(field.text);
  }

  /// A name that --columns has stands in the first line.
  bool has_asked_names() const {
    std::vector<std::string> first;
    for (const SampleField& field : sample_.rows[0]) first.push_back(field.text);
    return std::ranges::any_of(kAllRoles, [&](Role role) {
      const auto& column = options_.columns[role];
      return column && !plain_integer(*column) && column_index(*column, first, 0) >= 0;
    });
  }

  std::string first_fields() const {
    std::string out;
    for (const SampleField& field : sample_.rows[0]) {
      if (out.size() > 60) return out + ", ...";
      out += (out.empty() ? "" : ", ") + field.text;
    }
    return out;
  }

  /// "% bip weighted" at the top of KONECT's files.
  void read_banner() {
    std::string_view text = sample_.banner;
    while (text.starts_with(' ')) text.remove_prefix(1);
    konect_ = text.starts_with("bip ") || text.starts_with("sym ") || text.starts_with("asym ");
    layout_.konect_bipartite = text.starts_with("bip ");
  }

  void count_columns() {
    const auto& rows = sample_.rows;
    const std::size_t data = first_row();
    int columns = static_cast<int>(rows[data < rows.size() ? data : 0].size());
    const auto ends_empty = [&](const SampleRow& row) {
      return static_cast<int>(row.size()) == columns && row.size() > 2 &&
             row.back().kind == FieldKind::kEmpty;
    };
    // A separator at the end of every line is no column.
    if (!layout_.report.header && std::ranges::all_of(rows, ends_empty)) --columns;
    layout_.columns = columns;
    if (!layout_.report.header) return;
    layout_.more_columns = true;
    while (names_.size() > 2 && names_.back().empty()) names_.pop_back();
    const int named = static_cast<int>(names_.size());
    layout_.columns = named;
    const bool one_more =
        data < rows.size() && std::all_of(rows.begin() + 1, rows.end(), [&](const SampleRow& row) {
          return static_cast<int>(row.size()) == named + 1 && row.back().kind != FieldKind::kEmpty;
        });
    if (one_more) take_row_names();
  }

  /// Every line has one column more than the header: R writes the names of rows so, quoted.
  void take_row_names() {
    std::set<std::string_view> distinct;
    bool quoted = true;
    for (std::size_t i = 1; i < sample_.rows.size(); ++i) {
      const SampleField& field = sample_.rows[i][0];
      quoted = quoted && field.quoted;
      distinct.insert(field.text);
    }
    const bool counts = below(0).counts_up();
    if (quoted && (counts || distinct.size() + 1 == sample_.rows.size())) {
      names_.insert(names_.begin(), "");
      ++layout_.columns;
    } else if (counts && !options_.columns.has_ends() &&
               (sample_.rows.size() > 3 || sample_.rows[1][0].text == "0")) {
      throw_bad_data(path_, layout_.first_line,
                     "every line has one column more than the header, and the first one numbers "
                     "the lines: --columns user=2,item=3 leaves it out, user=1,item=2 keeps it "
                     "(source and target likewise)");
    }
  }

  void take_given_columns() {
    const ColumnSpec& given = options_.columns;
    for (const Role role : kAllRoles) {
      if (!given[role]) continue;
      if (is_needed(role))
        layout_[role] = find_column(*given[role], names_, layout_.columns, path_, given.flag());
      else if (role == Role::kRating)  // held-out pairs are chosen by it where they have one
        layout_[role] = column_index(*given[role], names_, layout_.columns);
    }
    require(!given.has_ends() || layout_[Role::kSource] != layout_[Role::kTarget] ||
                given.flag() != "--columns",
            "--columns takes both ends of an edge from column {} of {}", *given[Role::kSource],
            path_);
    layout_.asked_weights = given[Role::kWeight].has_value();
    if (options_.ratings && names_.empty() && layout_.columns > 1) {
      constexpr Role kOrder[] = {Role::kSource, Role::kTarget, Role::kRating, Role::kTime};
      for (int i = 0; i < std::min(4, layout_.columns); ++i)
        if (layout_[kOrder[i]] < 0) layout_[kOrder[i]] = i;
      layout_.user_item = true;
    }
    layout_.user_item = layout_.user_item || given.user_item() || layout_.konect_bipartite;
  }

  /// Held-out pairs need neither weights nor ratings nor times, training edges no labels.
  bool is_needed(Role role) const {
    if (role == Role::kSource || role == Role::kTarget) return true;
    if (options_.columns.flag() != "--columns") return true;
    if (role == Role::kLabel) return options_.third == ThirdColumn::kLabel;
    return options_.third == ThirdColumn::kWeight;
  }

  int column_named(ColumnWord word) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (column_word(names_[i]) == word && !is_index(static_cast<int>(i)))
        return static_cast<int>(i);
    return -1;
  }

  /// Numbers the rows: has no name, or one that says so and counts up.
  bool is_index(int column) const {
    if (column >= static_cast<int>(names_.size()) || layout_.columns < 3) return false;
    if (names_[column].empty()) return true;
    const ColumnWord word = column_word(names_[column]);
    return column == 0 && (word == ColumnWord::kIndex || word == ColumnWord::kNode) &&
           below(column).counts_up() && free_columns() > 2;
  }

  /// Columns that could be an end of an edge, by their names.
  int free_columns() const {
    int out = 0;
    for (const std::string& name : names_) out += may_be_end(column_word(name)) ? 1 : 0;
    return out;
  }
  static bool may_be_end(ColumnWord word) {
    return word != ColumnWord::kWeight && word != ColumnWord::kRating && word != ColumnWord::kTime;
  }

  void find_ends() {
    int& source = layout_[Role::kSource];
    int& target = layout_[Role::kTarget];
    if (source >= 0) return;
    const int user = column_named(ColumnWord::kUser), item = column_named(ColumnWord::kItem);
    const int from = column_named(ColumnWord::kSource), to = column_named(ColumnWord::kTarget);
    const bool nodes = from >= 0 && to >= 0;
    if (user >= 0 && item >= 0 && (!nodes || options_.user_item.value_or(false))) {
      source = user;
      target = item;
      layout_.user_item = true;
    } else if (nodes) {
      source = from;
      target = to;
    } else {
      place_ends(user >= 0 ? user : from, item >= 0 ? item : to);
    }
  }

  /// At most one end is known by its name; the others go by their places.
  void place_ends(int source, int target) {
    std::vector<int> free;
    for (int i = 0; i < layout_.columns; ++i) {
      const bool known = i < static_cast<int>(names_.size()) && !may_be_end(column_word(names_[i]));
      if (!known && !is_index(i) && !is_given(i) &&
          !(layout_.report.header && below(i).all(FieldKind::kDate)))
        free.push_back(i);
    }
    if (free.size() < 2)
      throw_bad_data(path_, layout_.first_line,
                     fmt::format("expected at least two columns, got {}",
                                 names_.empty() ? fmt::format("'{}'", first_fields())
                                                : "'" + fmt::format("{}", fmt::join(names_, ", ")) +
                                                      "' in the header"));
    const bool in_place = (source < 0 || source == free[0]) && (target < 0 || target == free[1]);
    if (free.size() > 2 && !in_place)
      throw_bad_data(path_, sample_.first_number,
                     fmt::format("which columns are the ends of an edge? --columns "
                                 "user=COLUMN,item=COLUMN or source=COLUMN,target=COLUMN; the "
                                 "header has {}",
                                 fmt::join(names_, ", ")));
    const auto other = [&](int taken) { return free[0] == taken ? free[1] : free[0]; };
    if (names_.empty()) refuse_doubtful_ends(free);
    layout_[Role::kSource] = source >= 0 ? source : target >= 0 ? other(target) : free[0];
    layout_[Role::kTarget] = target >= 0 ? target : source >= 0 ? other(source) : free[1];
  }

  bool is_given(int column) const {
    return std::ranges::find(layout_.column_of, column) != layout_.column_of.end();
  }

  /// Without a header nothing tells a column of dates, or one that numbers the lines, from ids but
  /// its values.
  void refuse_doubtful_ends(const std::vector<int>& free) const {
    for (const int column : {free[0], free[1]}) {
      const bool dates = below(column).all(FieldKind::kDate);
      if (dates || (free.size() > 2 && below(column).all_marks()))
        throw_bad_data(path_, sample_.first_number,
                       fmt::format("column {} has {}, no ids; --columns says which columns are "
                                   "what, as source=1,target=3",
                                   column + 1, dates ? "dates" : "nothing but marks"));
    }
    if (layout_.columns < 3 || sample_.rows.size() < 2) return;
    if (sample_.rows.size() > 2 && below(0).counts_up() && below(1).all(FieldKind::kText) &&
        below(2).all(FieldKind::kText) && !sample_.rows[0][2].text.starts_with('{'))
      throw_bad_data(path_, sample_.first_number,
                     "the first column numbers the lines: --columns user=2,item=3 leaves it out, "
                     "user=1,item=2 keeps it (source and target likewise)");
    if (layout_.columns < 4 || sample_.separator == ",") return;
    std::set<std::string_view> firsts;
    for (const SampleRow& row : sample_.rows) firsts.insert(row[0].text);
    for (int i = 0; i < layout_.columns; ++i)
      if (!below(i).all_integers() || below(i).mostly_times()) return;
    if (firsts.size() == sample_.rows.size())
      throw_bad_data(path_, sample_.first_number,
                     fmt::format("{} columns of integers without a header; lists of a user and its "
                                 "items are --format lightgcn, of a table --columns says which "
                                 "columns are what (source=1,target=2)",
                                 layout_.columns));
  }

  void find_ratings_and_times() {
    int& time = layout_[Role::kTime];
    int& rating = layout_[Role::kRating];
    if (time < 0) time = column_named(ColumnWord::kTime);
    if (time < 0 && konect_ && names_.empty() && layout_.columns > 3 && !is_given(3)) time = 3;
    if (rating < 0) rating = column_named(ColumnWord::kRating);
    if (time >= 0 && !options_.columns[Role::kTime] && !below(time).all_times()) time = -1;
    require(!options_.min_rating || rating >= 0 || options_.third != ThirdColumn::kWeight,
            "--min-rating needs a column of ratings, and {} has none that is known as such; "
            "--columns rating=COLUMN names it",
            path_);
  }

  bool is_user_item() const { return options_.user_item.value_or(layout_.user_item); }

  void find_values() {
    const int third = !names_.empty() || layout_.columns < 3 || is_given(2) ? -1 : 2;
    if (options_.third == ThirdColumn::kLabel) {
      int& label = layout_[Role::kLabel];
      if (label < 0) label = names_.empty() ? third : column_named(ColumnWord::kLabel);
      return;
    }
    layout_[Role::kLabel] = -1;
    int& weight = layout_[Role::kWeight];
    if (third >= 0) refuse_attributes(third);
    if (weight >= 0 || options_.third != ThirdColumn::kWeight || is_user_item()) return;
    weight = names_.empty() ? third : column_named(ColumnWord::kWeight);
    if (weight >= 0 && names_.empty() && !below(weight).mostly_numbers()) weight = -1;
    if (weight < 0 || !below(weight).mostly_times()) return;
    const std::string column = name_of(weight);
    throw_bad_data(path_, layout_.first_line,
                   fmt::format("column {0} has values like {1}, which look like times, not "
                               "weights; --columns time={0} or weight={0} says which",
                               column, below(weight).first_time()));
  }

  /// "1 2 {'weight': 3}": what is in braces would be lost without a word.
  void refuse_attributes(int column) const {
    for (std::size_t i = 0; i < sample_.rows.size(); ++i) {
      if (sample_.rows[i].size() <= static_cast<std::size_t>(column)) continue;
      const std::string& text = sample_.rows[i][column].text;
      if (text.starts_with('{') && text != "{}" && !options_.columns.has_ends())
        throw_bad_data(path_, sample_.first_number + static_cast<std::int64_t>(i),
                       fmt::format("attributes {} behind an edge; networkx writes a plain column "
                                   "with write_edgelist(..., data=['weight']), and --columns "
                                   "source=1,target=2 reads the file without them",
                                   text));
    }
  }

  std::string name_of(int column) const {
    const bool named = column < static_cast<int>(names_.size()) && !names_[column].empty();
    return named ? names_[column] : std::to_string(column + 1);
  }

  void report_columns() {
    const bool user_item = is_user_item();
    const char* words[] = {user_item ? "user" : "source",
                           user_item ? "item" : "target",
                           "weight",
                           "rating",
                           "time",
                           "label"};
    if (options_.columns.flag() != "--columns") words[0] = "node";
    for (const Role role : kAllRoles)
      if (layout_[role] >= 0)
        layout_.report.columns.emplace_back(words[static_cast<int>(role)], name_of(layout_[role]));
    for (int i = 0; i < layout_.columns; ++i)
      if (!is_given(i)) layout_.report.ignored.push_back(name_of(i));
  }

  /// Columns whose values nobody asked for are not parsed.
  void drop_unwanted() {
    if (!options_.min_rating) layout_[Role::kRating] = -1;
    if (options_.times == Times::kDrop && !options_.columns[Role::kTime]) layout_[Role::kTime] = -1;
    if (options_.third != ThirdColumn::kWeight) {
      layout_[Role::kWeight] = layout_[Role::kTime] = -1;
      layout_.asked_weights = false;
    }
  }

  const TextOptions& options_;
  const std::string& path_;
  TextSample sample_;
  TextLayout layout_;
  std::vector<std::string> names_;  ///< of columns; empty without a header
  bool konect_ = false;
};

}  // namespace

TextLayout detect_layout(std::string_view bytes, const TextOptions& options,
                         const std::string& path) {
  return LayoutFinder(bytes, options, path).find();
}

TextLayout detect_label_layout(std::string_view bytes, const ColumnSpec& columns,
                               const std::string& path) {
  TextOptions options;
  options.columns = columns;
  return LayoutFinder(bytes, options, path).find_labels();
}

}  // namespace mcns

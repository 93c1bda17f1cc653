#include "mcns/io/text_labels.h"

#include "mcns/core/error.h"
#include "mcns/io/input.h"
#include "mcns/io/text_layout.h"
#include "mcns/io/text_lines.h"

namespace mcns {

std::vector<NamedLabel> read_labels(const std::string& path, const ColumnSpec& columns) {
  const Input input(path);
  const TextLayout layout = detect_label_layout(input.bytes(), columns, path);
  const int node = layout[Role::kSource], label = layout[Role::kLabel];
  std::vector<NamedLabel> out;
  Fields fields;
  std::string_view rest = input.bytes().substr(layout.begin);
  for (std::int64_t number = layout.first_line; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    try {
      if (!is_data_line(line)) {
        check_text(line);
        continue;
      }
      split_line(line, layout.separator, fields);
    } catch (const LineError& error) {
      throw_bad_data(path, number, error.what());
    }
    const int got = fields.count();
    if (got < layout.columns || got < 2 || (got > layout.columns && !layout.more_columns) ||
        fields[node].empty() || fields[label].empty())
      throw_bad_data(path, number,
                     fmt::format("expected {}, a node and its label, got {}",
                                 layout.columns <= 2 ? "two columns"
                                                     : fmt::format("{} columns", layout.columns),
                                 got));
    out.push_back({std::string(fields[node]), std::string(fields[label])});
  }
  if (out.empty()) throw_bad_data(path, 0, "no labels in the file");
  return out;
}

}  // namespace mcns

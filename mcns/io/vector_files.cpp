#include "mcns/io/vector_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <unordered_set>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/core/kernels.h"
#include "mcns/io/delimited.h"
#include "mcns/io/files.h"
#include "mcns/io/input.h"
#include "mcns/io/npy.h"
#include "mcns/io/npz.h"
#include "mcns/io/text_file.h"

namespace mcns {
namespace {

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

struct Words {
  std::vector<std::string> ids;
  std::int64_t changed = 0;
};

Words as_words(const std::string& path, const std::vector<std::string>& ids) {
  Words out{ids, 0};
  std::unordered_set<std::string_view> seen;
  for (auto& id : out.ids) {
    if (std::ranges::any_of(id, is_blank)) ++out.changed;
    std::ranges::replace_if(id, is_blank, '_');
    if (!seen.insert(id).second)
      throw_error(ErrorKind::kData,
                  "cannot write {}: two ids are '{}' there (blanks become _); tsv and npz keep ids",
                  path, id);
  }
  return out;
}

std::string title_of(const Matrix& vectors) {
  return fmt::format("{} {}\n", vectors.rows(), vectors.dim());
}

std::string_view take_field(std::string_view& line, char separator) {
  if (separator == ' ') {
    const auto begin = line.find_first_not_of(' ');
    line.remove_prefix(begin == std::string_view::npos ? line.size() : begin);
  }
  const auto end = line.find(separator);
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return field;
}

template <class T>
bool parse(std::string_view text, T& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// `n dim` and nothing else.
bool is_title(std::string_view line, std::int64_t& rows, std::int64_t& dim) {
  const auto first = take_field(line, ' '), second = take_field(line, ' ');
  return parse(first, rows) && parse(second, dim) && line.find_first_not_of(' ') == line.npos;
}

/// Rows of text as they come; the first one tells how many numbers each has.
class TextRows {
 public:
  explicit TextRows(const std::string& path) : path_(path) {}

  void add(std::string_view line, std::int64_t number) {
    const char separator = line.find('\t') != line.npos ? '\t' : ' ';
    ids_.emplace_back(take_field(line, separator));
    const std::size_t before = values_.size();
    while (line.find_first_not_of(" \t") != line.npos) {
      const auto field = take_field(line, separator);
      float value = 0;
      if (!parse(field, value))
        throw_bad_data(path_, number, fmt::format("'{}' is not a number", field));
      values_.push_back(value);
    }
    const auto count = static_cast<std::int64_t>(values_.size() - before);
    if (dim_ < 0) dim_ = count;
    if (count != dim_ || count == 0)
      throw_bad_data(path_, number,
                     fmt::format("{} numbers after the id, expected {}", count,
                                 std::max<std::int64_t>(dim_, 1)));
  }
  void expect(std::int64_t rows, std::int64_t dim) {
    rows_ = rows;
    dim_ = dim;
  }
  NamedVectors take() {
    const auto rows = static_cast<std::int64_t>(ids_.size());
    if (rows == 0 || (rows_ >= 0 && rows != rows_))
      throw_bad_data(
          path_, 0,
          fmt::format("{} vectors, expected {}", rows, rows_ < 0 ? "some" : std::to_string(rows_)));
    NamedVectors out{std::move(ids_), {}, Matrix(rows, static_cast<int>(dim_))};
    for (std::int64_t i = 0; i < rows; ++i)
      std::copy_n(values_.begin() + i * dim_, dim_, out.vectors.row(i));
    return out;
  }

 private:
  const std::string& path_;
  std::vector<std::string> ids_;
  std::vector<float> values_;
  std::int64_t rows_ = -1, dim_ = -1;
};

NamedVectors read_text(const std::string& path) {
  const Input input(path);
  TextRows rows(path);
  std::string_view bytes = input.bytes();
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (std::int64_t number = 1; !bytes.empty(); ++number) {
    std::string_view line = take_field(bytes, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::int64_t count = 0, dim = 0;
    if (line.find_first_not_of(" \t") == line.npos) continue;
    if (number == 1 && is_title(line, count, dim))
      rows.expect(count, dim);
    else
      rows.add(line, number);
  }
  return rows.take();
}

NamedVectors read_binary(const std::string& path) {
  const Input input(path);
  std::string_view bytes = input.bytes();
  std::int64_t rows = 0, dim = 0;
  if (!is_title(take_field(bytes, '\n'), rows, dim) || rows < 0 || dim <= 0 || dim > (1 << 24))
    throw_bad_data(path, 1, "expected the number of vectors and of dimensions (binary word2vec)");
  const std::size_t size = dim * sizeof(float);
  if (bytes.size() / size < static_cast<std::size_t>(rows))
    throw_bad_data(path, 0, fmt::format("too short for {} vectors of {}", rows, dim));
  NamedVectors out{{}, {}, Matrix(rows, static_cast<int>(dim))};
  for (std::int64_t i = 0; i < rows; ++i) {
    while (bytes.starts_with('\n')) bytes.remove_prefix(1);  // some programs write it, some do not
    const auto end = bytes.find(' ');
    if (end == bytes.npos || bytes.size() - end - 1 < size)
      throw_bad_data(path, 0, fmt::format("truncated at vector {} of {}", i + 1, rows));
    out.ids.emplace_back(bytes.substr(0, end));
    std::memcpy(out.vectors.row(i), bytes.data() + end + 1, size);
    bytes.remove_prefix(end + 1 + size);
  }
  bytes.remove_prefix(std::min(bytes.find_first_not_of('\n'), bytes.size()));
  if (!bytes.empty())
    throw_bad_data(path, 0,
                   fmt::format("{} bytes after the last of {} vectors, as many as its first line "
                               "says",
                               bytes.size(), rows));
  return out;
}

NamedVectors read_arrays(const std::string& path) {
  NamedVectors out;
  std::vector<std::string> tables;
  const auto members = read_npz_members(path);
  const auto preferred = [](const std::string& name) {
    return name == "vectors" || name == "embeddings";
  };
  for (const auto& [name, bytes] : members) {
    const std::string where = fmt::format("{}:{}", path, name);
    const NpyArray array = open_npy(where, bytes);
    if (name == "ids" || name == "kinds")
      (name == "ids" ? out.ids : out.kinds) = ids_of_npy(where, array);
    else if (array.shape.size() == 2)
      tables.push_back(name);
  }
  if (const auto found = std::ranges::find_if(tables, preferred); found != tables.end())
    tables = {*found};
  if (tables.size() != 1)
    throw_bad_data(
        path, 0,
        fmt::format("{} tables of two dimensions; call the one to read `vectors`", tables.size()));
  for (const auto& [name, bytes] : members)
    if (name == tables[0]) out.vectors = parse_npy(fmt::format("{}:{}", path, name), bytes);
  for (const std::string& kind : out.kinds)
    if (kind != "user" && kind != "item")
      throw_bad_data(path + ":kinds", 0, fmt::format("'{}', expected user or item", kind));
  for (const auto* list : {&out.ids, &out.kinds})
    if (!list->empty() && std::ssize(*list) != out.vectors.rows())
      throw_bad_data(
          path, 0, fmt::format("{} ids or kinds for {} vectors", list->size(), out.vectors.rows()));
  return out;
}

}  // namespace

std::int64_t write_word2vec(const std::string& path, const NamedVectors& table) {
  const Words words = as_words(path, table.ids);
  TextFile file(path);
  file.write(title_of(table.vectors));
  for (std::int64_t i = 0; i < table.vectors.rows(); ++i) {
    std::string line = words.ids[i];
    for (const float x : table.vectors.view()[i])
      fmt::format_to(std::back_inserter(line), " {}", x);
    file.write(line += '\n');
  }
  file.commit();
  return words.changed;
}

std::int64_t write_word2vec_binary(const std::string& path, const NamedVectors& table) {
  const Words words = as_words(path, table.ids);
  AtomicFile file(path);
  file.write(title_of(table.vectors));
  for (std::int64_t i = 0; i < table.vectors.rows(); ++i) {
    file.write(words.ids[i] + ' ');
    file.write(table.vectors.row(i), sizeof(float) * table.vectors.dim());
    file.write("\n");
  }
  file.commit();
  return words.changed;
}

void write_vectors_tsv(const std::string& path, const NamedVectors& table) {
  TextFile file(path);
  for (std::int64_t i = 0; i < table.vectors.rows(); ++i) {
    std::string line = table.ids[i];
    if (line.find_first_of("\t\n\r") != line.npos)
      throw_error(ErrorKind::kData, "cannot write {}: the id '{}' does not fit into text; use npz",
                  path, line);
    for (const float x : table.vectors.view()[i])
      fmt::format_to(std::back_inserter(line), "\t{}", x);
    file.write(line += '\n');
  }
  file.commit();
}

void write_vectors_npz(const std::string& path, const NamedVectors& table) {
  std::vector<NpzStream> arrays;
  const auto add_ids = [&](const std::string& name, const std::vector<std::string>& ids) {
    NpyIds array = npy_of_ids(ids);
    const std::uint64_t bytes = array.data.size();
    arrays.push_back({name,
                      array.descr,
                      {std::ssize(ids)},
                      bytes,
                      [data = std::move(array.data)](const NpzStream::Sink& sink) { sink(data); }});
  };
  add_ids("ids", table.ids);
  if (!table.kinds.empty()) add_ids("kinds", table.kinds);
  const ConstMatrixRef vectors = table.vectors.view();
  const std::uint64_t row = sizeof(float) * vectors.dim;
  arrays.push_back({"vectors",
                    "<f4",
                    {vectors.rows, vectors.dim},
                    row * vectors.rows,
                    [vectors, row](const NpzStream::Sink& sink) {
                      for (std::int64_t i = 0; i < vectors.rows; ++i)
                        sink({reinterpret_cast<const char*>(vectors.row(i)), row});
                    }});
  write_npz(path, arrays);
}

void check_finite(const std::string& path, const Matrix& table) {
  for (std::int64_t i = 0; i < table.rows(); ++i)
    if (kernels().any_not_finite(table.row(i), table.dim()))
      throw_bad_data(path, 0, fmt::format("row {} holds a number that is NaN or infinite", i));
}

void check_vectors(const std::string& path, const Matrix& table) {
  if (table.rows() == 0 || table.dim() == 0)
    throw_bad_data(path, 0,
                   fmt::format("holds a table of {} rows and {} columns, expected vectors",
                               table.rows(), table.dim()));
  check_finite(path, table);
  // The product of two rows, of any length that a model may have, is then finite too.
  constexpr float kMost = 1e15F;
  for (std::int64_t i = 0; i < table.rows(); ++i) {
    const std::span row(table.row(i), static_cast<std::size_t>(table.dim()));
    const auto beyond = std::ranges::find_if(row, [](float x) { return std::abs(x) > kMost; });
    if (beyond != row.end())
      throw_bad_data(path, 0,
                     fmt::format("row {} holds {}, expected numbers from {} to {}", i, *beyond,
                                 -kMost, kMost));
  }
}

NamedVectors read_vectors(const std::string& path) {
  const std::string_view name = unpacked_name(path);
  if (name.ends_with(".npy")) return {{}, {}, read_npy(path)};
  if (name.ends_with(".npz")) return read_arrays(path);
  return name.ends_with(".bin") ? read_binary(path) : read_text(path);
}

}  // namespace mcns

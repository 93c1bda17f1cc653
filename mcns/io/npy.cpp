// Layout: "\x93NUMPY", major, minor, the length of the header (2 bytes in version 1, 4 after), the
// header as a Python dict in text, padded with blanks so that the numbers start at a multiple
// of 64.
#include "mcns/io/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/ranges.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/input.h"

namespace mcns {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlign = 64;

/// Reads the dict of the header from left to right; a fault names the file and what is wrong.
class HeaderReader {
 public:
  HeaderReader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> sizes;

  void read() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      if (std::ranges::count(keys_, key) > 0) fail("a second '" + key + "' in its header");
      keys_.push_back(key);
      expect(':');
      if (key == "descr")
        descr = quoted();
      else if (key == "fortran_order")
        fortran = boolean();
      else if (key == "shape")
        shape();
      else
        fail("unknown key '" + key + "' in its header");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (descr.empty() || !has_shape_) fail("its header lacks 'descr' or 'shape'");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw_bad_data(path_, 0, "not a NumPy table: " + what);
  }
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' expected in its header", c));
  }
  std::string quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') {
      if (text_.starts_with('[')) fail("structured arrays are not supported, expected '<f4'");
      expect('\'');
    }
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) fail("a quote in its header does not end");
    std::string result(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return result;
  }
  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return word == "True";
      }
    fail("'fortran_order' must be True or False");
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a size in 'shape' is not a count");
    text_.remove_prefix(end - text_.data());
    return value;
  }
  void shape() {
    expect('(');
    has_shape_ = true;
    while (!accept(')')) {
      sizes.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  const std::string& path_;
  std::string_view text_;
  std::vector<std::string> keys_;  ///< so far; unknown ones are refused, so they are few
  bool has_shape_ = false;
};

/// The header's text; `bytes` is left at the numbers.
std::string_view take_header(const std::string& path, std::string_view& bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + 6)
    throw_bad_data(path, 0, "not a NumPy file (.npy): its first bytes are not \\x93NUMPY");
  const int version = static_cast<unsigned char>(bytes[kMagic.size()]);
  if (version < 1 || version > 3)
    throw_bad_data(path, 0, fmt::format("NumPy format version {} is not one of 1, 2, 3", version));
  const int width = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (int i = width - 1; i >= 0; --i)
    length = length * 256 + static_cast<unsigned char>(bytes[kMagic.size() + 2 + i]);
  bytes.remove_prefix(kMagic.size() + 2 + width);
  if (length > bytes.size()) throw_bad_data(path, 0, "truncated: the header does not end");
  const std::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return header;
}

template <class T>
Matrix read_values(const std::string& path, const NpyArray& array) {
  const std::int64_t rows = array.shape[0], dim = array.shape[1];
  Matrix matrix(rows, static_cast<int>(dim));
  const std::int64_t row_step = array.fortran ? 1 : dim;
  const std::int64_t column_step = array.fortran ? rows : 1;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < dim; ++k) {
      T value;
      std::memcpy(&value, array.data.data() + (i * row_step + k * column_step) * sizeof(T),
                  sizeof(T));
      if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max())
        throw_bad_data(path, 0, fmt::format("{} at row {} does not fit a float", value, i));
      matrix.row(i)[k] = static_cast<float>(value);
    }
  return matrix;
}

}  // namespace

std::string npy_header(std::int64_t rows, int dim) { return npy_header("<f4", {rows, dim}); }

std::string npy_header(const std::string& descr, const std::vector<std::int64_t>& shape) {
  // As NumPy writes it: a tuple of one has a comma at its end.
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t before = kMagic.size() + 4;
  dict.resize((before + dict.size() + 1 + kAlign - 1) / kAlign * kAlign - before - 1, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() % 256), static_cast<char>(dict.size() / 256)};
  return header + dict;
}

void write_npy(const std::string& path, ConstMatrixRef matrix) {
  AtomicFile file(path);
  file.write(npy_header(matrix.rows, matrix.dim));
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    file.write(matrix.row(i), sizeof(float) * matrix.dim);
  file.commit();
}

Matrix read_npy(const std::string& path) {
  const Input input(path);
  return parse_npy(path, input.bytes());
}

NpyArray open_npy(const std::string& path, std::string_view bytes) {
  HeaderReader header(path, take_header(path, bytes));
  header.read();
  return {header.descr, header.fortran, header.sizes, bytes};
}

Matrix parse_npy(const std::string& path, std::string_view bytes) {
  const NpyArray array = open_npy(path, bytes);
  if (array.shape.size() != 2)
    throw_bad_data(
        path, 0,
        fmt::format("not a NumPy table: it has {} dimensions, expected 2", array.shape.size()));
  const bool single = array.descr == "<f4";
  if (!single && array.descr != "<f8")
    throw_bad_data(path, 0, "holds numbers of type '" + array.descr + "', expected '<f4' or '<f8'");
  const std::size_t size = single ? 4 : 8;
  const auto wanted = static_cast<unsigned __int128>(array.shape[0]) * array.shape[1] * size;
  if (array.shape[1] > std::numeric_limits<int>::max() - kRowAlign || wanted != array.data.size())
    throw_bad_data(path, 0,
                   fmt::format("shape ({}, {}) of '{}' does not match its {} bytes of data",
                               array.shape[0], array.shape[1], array.descr, array.data.size()));
  return single ? read_values<float>(path, array) : read_values<double>(path, array);
}

}  // namespace mcns

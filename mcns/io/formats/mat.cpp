// MATLAB files by libmatio. The sparse matrices are compressed columns: the rows of column j are
// ir[jc[j]] .. ir[jc[j + 1] - 1].
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include <matio.h>

#include "mcns/core/error.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/formats/mat_layout.h"
#include "mcns/io/mapped_file.h"

namespace mcns {
namespace {

using Mat = std::unique_ptr<mat_t, decltype(&Mat_Close)>;
using Variable = std::unique_ptr<matvar_t, decltype(&Mat_VarFree)>;

struct Sparse {
  std::size_t rows = 0, columns = 0;
  std::span<const mat_uint32_t> row_of, begin_of;  ///< entries; columns + 1
  const void* values = nullptr;
  matio_types type = MAT_T_DOUBLE;

  template <class T>
  double at(std::size_t i) const {
    return static_cast<double>(static_cast<const T*>(values)[i]);
  }
  /// MATLAB stores the values in the smallest type that holds them all.
  double value(std::size_t i) const {
    switch (type) {
      case MAT_T_DOUBLE:
        return at<double>(i);
      case MAT_T_SINGLE:
        return at<float>(i);
      case MAT_T_INT64:
        return at<std::int64_t>(i);
      case MAT_T_UINT64:
        return at<std::uint64_t>(i);
      case MAT_T_INT32:
        return at<std::int32_t>(i);
      case MAT_T_UINT32:
        return at<std::uint32_t>(i);
      case MAT_T_INT16:
        return at<std::int16_t>(i);
      case MAT_T_UINT16:
        return at<std::uint16_t>(i);
      case MAT_T_INT8:
        return at<std::int8_t>(i);
      case MAT_T_UINT8:
        return at<std::uint8_t>(i);
      default:
        return std::numeric_limits<double>::quiet_NaN();
    }
  }
};

/// Null where there is none. Others than sparse ones are not read: they take what their dimensions
/// say.
Variable read_variable(const std::string& path, mat_t* file, const char* name) {
  const Variable info(Mat_VarReadInfo(file, name), &Mat_VarFree);
  if (!info) return {nullptr, &Mat_VarFree};
  if (info->class_type != MAT_C_SPARSE || info->rank != 2 || info->isComplex != 0)
    throw_bad_data(path, 0, fmt::format("variable '{}' is not a real sparse matrix", name));
  return {Mat_VarRead(file, name), &Mat_VarFree};
}

/// Checks everything that indexes, since a damaged file may hold anything.
Sparse view_sparse(const std::string& path, const char* name, const matvar_t& variable) {
  const auto fail = [&](const std::string& what) {
    throw_bad_data(path, 0, fmt::format("variable '{}' {}", name, what));
  };
  if (variable.class_type != MAT_C_SPARSE || variable.data == nullptr) fail("is damaged");
  const auto& data = *static_cast<const mat_sparse_t*>(variable.data);
  Sparse out;
  out.rows = variable.dims[0];
  out.columns = variable.dims[1];
  out.type = variable.data_type;
  out.values = data.data;
  if (std::max(out.rows, out.columns) >= std::size_t{std::numeric_limits<NodeId>::max()})
    fail("is too large");
  if (data.njc != out.columns + 1 || data.jc == nullptr || (data.nir > 0 && data.ir == nullptr))
    fail("is damaged");
  out.begin_of = {data.jc, data.njc};
  const std::size_t entries = out.begin_of.back();
  if (entries > data.nir || entries > data.ndata || out.begin_of.front() != 0 ||
      !std::ranges::is_sorted(out.begin_of))
    fail("is damaged");
  out.row_of = {data.ir, entries};
  if (!std::ranges::all_of(out.row_of, [&](auto row) { return row < out.rows; }))
    fail("is damaged");
  return out;
}

struct Entry {
  NodeId row, column;
  float value;
};

/// Entries that are not zero, by column then row, with ids from 1.
std::vector<Entry> entries_of(const std::string& path, const char* name, const Sparse& matrix) {
  std::vector<Entry> out;
  out.reserve(matrix.row_of.size());
  for (std::size_t column = 0; column < matrix.columns; ++column)
    for (std::size_t i = matrix.begin_of[column]; i < matrix.begin_of[column + 1]; ++i) {
      const double value = matrix.value(i);
      if (!std::isfinite(static_cast<float>(value)) || value < 0)
        throw_bad_data(path, 0,
                       fmt::format("variable '{}' has {} at ({}, {}); values must be finite "
                                   "numbers >= 0 that fit a float",
                                   name, value, matrix.row_of[i] + 1, column + 1));
      if (value != 0)
        out.push_back({static_cast<NodeId>(matrix.row_of[i] + 1), static_cast<NodeId>(column + 1),
                       static_cast<float>(value)});
    }
  std::ranges::sort(out, {}, [](const Entry& e) { return std::pair(e.column, e.row); });
  return out;
}

bool is_symmetric(const std::vector<Entry>& entries) {
  auto transposed = entries;
  for (auto& entry : transposed) std::swap(entry.row, entry.column);
  std::ranges::sort(transposed, {}, [](const Entry& e) { return std::pair(e.column, e.row); });
  return std::ranges::equal(entries, transposed, [](const Entry& a, const Entry& b) {
    return a.row == b.row && a.column == b.column && a.value == b.value;
  });
}

RawEdges edges_of(const std::vector<Entry>& entries, std::size_t nodes) {
  RawEdges out;
  out.symmetric = is_symmetric(entries);
  const bool weighted =
      !std::ranges::all_of(entries, [](const Entry& entry) { return entry.value == 1; });
  std::vector<bool> seen(nodes + 1);
  for (const auto& [row, column, value] : entries) {
    seen[row] = seen[column] = true;
    if (out.symmetric && row > column) continue;
    out.pairs.push_back({row, column});
    if (weighted) out.values.push_back(value);
  }
  for (std::size_t id = 1; id <= nodes; ++id)
    if (!seen[id]) out.isolated.push_back(static_cast<NodeId>(id));
  return out;
}

}  // namespace

MatFile read_mat(const std::string& path) {
  check_mat_layout(path, MappedFile(path).bytes());
  const Mat file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), &Mat_Close);
  if (!file) throw_bad_data(path, 0, "not a MATLAB file");
  const auto network = read_variable(path, file.get(), "network");
  if (!network) throw_bad_data(path, 0, "no variable 'network' (sparse, nodes x nodes)");
  const auto matrix = view_sparse(path, "network", *network);
  if (matrix.rows != matrix.columns)
    throw_bad_data(
        path, 0,
        fmt::format("variable 'network' must be square, is {} x {}", matrix.rows, matrix.columns));
  MatFile out;
  out.edges = edges_of(entries_of(path, "network", matrix), matrix.rows);
  if (const auto group = read_variable(path, file.get(), "group")) {
    const auto labels = view_sparse(path, "group", *group);
    if (labels.rows != matrix.rows)
      throw_bad_data(path, 0,
                     fmt::format("variable 'group' must have a row per node, has {} for {}",
                                 labels.rows, matrix.rows));
    for (const auto& [node, label, value] : entries_of(path, "group", labels))
      out.labels.push_back({node, label});
    std::ranges::stable_sort(out.labels, {}, &MatLabel::node);
  }
  return out;
}

}  // namespace mcns

// NumPy's .npy files (format versions 1 to 3), for tables of vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mcns/core/matrix.h"

namespace mcns {

/// float32 [rows, dim] in C order, without the padding; whole or not at all.
void write_npy(const std::string& path, ConstMatrixRef matrix);

/// A two-dimensional array of little-endian float32 or float64, in C or Fortran order; .gz and .zst
/// are read transparently. Anything else is Error(kData).
Matrix read_npy(const std::string& path);

/// Parts of the above, for arrays inside other files: what comes before the numbers, and a whole
/// array from its bytes; `path` is for messages.
std::string npy_header(std::int64_t rows, int dim);
std::string npy_header(const std::string& descr, const std::vector<std::int64_t>& shape);
Matrix parse_npy(const std::string& path, std::string_view bytes);

/// An array of any type and shape, as it lies in a file.
struct NpyArray {
  std::string descr;  ///< as "<f4"
  bool fortran = false;
  std::vector<std::int64_t> shape;
  std::string_view data;
};
NpyArray open_npy(const std::string& path, std::string_view bytes);

/// One-dimensional arrays of ids: integers, or text as numpy keeps it (`<U`). Integers are written
/// where all ids are plain ones.
struct NpyIds {
  std::string descr, data;
};
NpyIds npy_of_ids(const std::vector<std::string>& ids);
/// From integers of any size, `<U` or `|S`; anything else is Error(kData).
std::vector<std::string> ids_of_npy(const std::string& path, const NpyArray& array);

}  // namespace mcns

// NumPy's .npy files (format versions 1 to 3), for tables of vectors.
#pragma once

#include <string>
#include <string_view>

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
Matrix parse_npy(const std::string& path, std::string_view bytes);

}  // namespace mcns

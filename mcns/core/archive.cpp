#include "mcns/core/archive.h"

#include <algorithm>

#include "mcns/core/kernels.h"

namespace mcns {

void Archive::operator()(std::string_view name, Matrix& matrix) {
  fixed(name, matrix.data(), matrix.size() * sizeof(float));
  if (!is_loading()) return;
  for (std::int64_t i = 0; i < matrix.rows(); ++i)
    if (kernels().any_not_finite(matrix.row(i), matrix.stride()))
      throw_error(ErrorKind::kData,
                  "'{}' of the saved state holds a number that is NaN or infinite", name);
}

void require_squares(std::string_view name, const Matrix& matrix, int width) {
  for (std::int64_t i = 0; i < matrix.rows(); ++i) {
    const float* const end = matrix.row(i) + matrix.dim();
    if (std::any_of(end - width, end, [](float sum) { return sum < 0; }))
      throw_error(ErrorKind::kData, "'{}' of the saved state holds a negative sum of squares",
                  name);
  }
}

}  // namespace mcns

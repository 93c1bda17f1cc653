// Dense rows of floats. Rows start on cache lines: the stride is the dimension rounded up to 16
// floats, and the padding is zero and stays zero, so kernels run over whole strides without tails.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>

#include "mcns/core/pages.h"

namespace mcns {

inline constexpr int kRowAlign = 16;  ///< floats

constexpr int padded(int dim) { return (dim + kRowAlign - 1) / kRowAlign * kRowAlign; }

/// Asks for a row that is needed soon, all its lines. Always inlined: g++ takes a function that does
/// nothing else for one without effect, and leaves its calls out.
[[gnu::always_inline]] inline void prefetch_row(const float* row, int stride) {
  for (int at = 0; at < stride; at += kRowAlign) __builtin_prefetch(row + at);
}

/// Non-owning rows x dim view; copied freely.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  int dim = 0, stride = 0;

  T* row(std::int64_t i) const { return data + i * stride; }
  std::span<T> operator[](std::int64_t i) const { return {row(i), static_cast<std::size_t>(dim)}; }
  operator MatrixView<const T>() const { return {data, rows, dim, stride}; }  // NOLINT(implicit)
};
using MatrixRef = MatrixView<float>;
using ConstMatrixRef = MatrixView<const float>;

/// Owning matrix, zero on construction, cache-line aligned.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::int64_t rows, int dim) : rows_(rows), dim_(dim), stride_(padded(dim)) {
    if (size() == 0) return;
    data_ = static_cast<float*>(allocate_rows(size() * sizeof(float)));
    std::fill_n(data_, size(), 0.0F);
  }
  Matrix(const Matrix& other) : Matrix(other.rows_, other.dim_) {
    std::copy_n(other.data_, size(), data_);
  }
  Matrix(Matrix&& other) noexcept { swap(other); }
  Matrix& operator=(Matrix other) noexcept {
    swap(other);
    return *this;
  }
  ~Matrix() { std::free(data_); }

  std::int64_t rows() const { return rows_; }
  int dim() const { return dim_; }
  int stride() const { return stride_; }
  /// Floats stored, padding included.
  std::size_t size() const { return static_cast<std::size_t>(rows_) * stride_; }
  bool empty() const { return size() == 0; }
  float* data() { return data_; }
  const float* data() const { return data_; }
  float* row(std::int64_t i) { return data_ + i * stride_; }
  const float* row(std::int64_t i) const { return data_ + i * stride_; }
  MatrixRef view() { return {data_, rows_, dim_, stride_}; }
  ConstMatrixRef view() const { return {data_, rows_, dim_, stride_}; }
  std::span<float> flat() { return {data_, size()}; }
  std::span<const float> flat() const { return {data_, size()}; }

 private:
  void swap(Matrix& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(dim_, other.dim_);
    std::swap(stride_, other.stride_);
    std::swap(data_, other.data_);
  }

  std::int64_t rows_ = 0;
  int dim_ = 0, stride_ = 0;
  float* data_ = nullptr;
};

}  // namespace mcns

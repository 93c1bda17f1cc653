// The kernels of score_kernels.h over a struct `Simd` of one instruction set. Included by
// score_kernels_arch_*.cpp only, after Simd; everything is in an unnamed namespace, so that code
// for one instruction set never stands in for another's at link time.
#pragma once

#include "mcns/eval/score_kernels.h"

namespace mcns {
namespace {

// kRows x 2 accumulators stay in registers: enough independent chains to hide the latency of a
// multiply-add, few enough not to spill.
template <int kRows>
inline void tile_rows(const float* users, const float* items, std::int64_t stride, int dim,
                      float* out) {
  constexpr int kWidth = Simd::kWidth;
  for (int lane = 0; lane < kLaneBlock; lane += 2 * kWidth) {
    typename Simd::Float sum[kRows][2];
    for (int i = 0; i < kRows; ++i) sum[i][0] = sum[i][1] = Simd::set(0.0F);
    for (int k = 0; k < dim; ++k) {
      const float* row = users + k * kLaneBlock + lane;
      const auto left = Simd::load(row), right = Simd::load(row + kWidth);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
        const auto item = Simd::set(items[i * stride + k]);
        sum[i][0] = Simd::multiply_add(left, item, sum[i][0]);
        sum[i][1] = Simd::multiply_add(right, item, sum[i][1]);
      }
    }
    for (int i = 0; i < kRows; ++i) {
      Simd::store(out + i * kLaneBlock + lane, sum[i][0]);
      Simd::store(out + i * kLaneBlock + lane + kWidth, sum[i][1]);
    }
  }
}

void score_tile(const float* users, const float* items, std::int64_t stride, int count, int dim,
                float* out) {
  int i = 0;
  for (; i + Simd::kRows <= count; i += Simd::kRows)
    tile_rows<Simd::kRows>(users, items + i * stride, stride, dim, out + i * kLaneBlock);
  for (; i < count; ++i) tile_rows<1>(users, items + i * stride, stride, dim, out + i * kLaneBlock);
}

template <int kRows>
inline void score_rows(const float* user, const float* const* rows, int dim, float* out) {
  float sum[kRows] = {};
  for (int k = 0; k < dim; ++k)
#pragma GCC unroll 16
    for (int j = 0; j < kRows; ++j) sum[j] = Simd::multiply_add(user[k], rows[j][k], sum[j]);
  for (int j = 0; j < kRows; ++j) out[j] = sum[j];
}

void score_list(const float* user, const float* const* rows, int count, int dim, float* out) {
  int j = 0;
  for (; j + 8 <= count; j += 8) score_rows<8>(user, rows + j, dim, out + j);
  for (; j < count; ++j) score_rows<1>(user, rows + j, dim, out + j);
}

void count_group(const float* scores, int count, const float* thresholds, std::int32_t* at_most,
                 std::int32_t* below) {
  constexpr int kVectors = kLaneGroup / Simd::kWidth;
  typename Simd::Float threshold[kVectors];
  typename Simd::Int low[kVectors], lower[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    threshold[v] = Simd::load(thresholds + v * Simd::kWidth);
    low[v] = Simd::load(at_most + v * Simd::kWidth);
    lower[v] = Simd::load(below + v * Simd::kWidth);
  }
  for (int i = 0; i < count; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const auto score = Simd::load(scores + i * kLaneBlock + v * Simd::kWidth);
      low[v] = Simd::add_if_at_most(low[v], score, threshold[v]);
      lower[v] = Simd::add_if_below(lower[v], score, threshold[v]);
    }
  for (int v = 0; v < kVectors; ++v) {
    Simd::store(at_most + v * Simd::kWidth, low[v]);
    Simd::store(below + v * Simd::kWidth, lower[v]);
  }
}

void find_above(const float* scores, int count, const float* thresholds, std::uint64_t* above) {
  for (int i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
#pragma GCC unroll 16
    for (int lane = 0; lane < kLaneBlock; lane += Simd::kWidth)
      bits |= Simd::above(Simd::load(scores + i * kLaneBlock + lane), Simd::load(thresholds + lane))
              << lane;
    above[i] = bits;
  }
}

constexpr ScoreKernels kKernels = {score_list, score_tile, count_group, find_above};

}  // namespace
}  // namespace mcns

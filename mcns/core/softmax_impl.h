// Rows of a softmax, included by kernels_impl.h: the highest score, and exponentials below it.
#pragma once

namespace mcns::MCNS_ARCH {
namespace {

float maximum(const float* s, int n) {
  Vec top = Vec{} + s[0];
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v;
    std::memcpy(&v, s + i, sizeof v);
    top = v > top ? v : top;
  }
  if (i < n) {
    const Vec v = load_some(s + i, n - i, s[0]);
    top = v > top ? v : top;
  }
  float out = top[0];
  for (int lane = 1; lane < kLanes; ++lane) out = top[lane] > out ? top[lane] : out;
  return out;
}

float exponentiate(const Softmax& loss, float* s, float top, int n) {
  const Vec highest = Vec{} + top;
  Vec total{};
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec v;
    std::memcpy(&v, s + i, sizeof v);
    v = loss.exponential<FastMath>(v, highest);
    std::memcpy(s + i, &v, sizeof v);
    total += v;
  }
  if (i < n) {
    const Vec v = loss.exponential<FastMath>(load_some(s + i, n - i, kNoScore), highest);
    store_some(s + i, v, n - i);
    total += v;
  }
  return sum(total);
}

void softmax_terms(float* x, int n, float scale, float* sums) {
  const float top = maximum(x, n);
  for (int first = 0; first < n; first += kSoftmaxBlock) {
    const int count = std::min(kSoftmaxBlock, n - first);
    for (int i = first; i < first + count; ++i) x[i] = (x[i] - top) * scale;
    sums[first / kSoftmaxBlock] = exponentiate({}, x + first, 0.0F, count);
  }
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

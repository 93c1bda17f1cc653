// Skip-gram's step, included once per instruction set by kernels_impl.h: scores, loss and updates
// of a few pairs while their rows are in the nearest cache.
namespace mcns::MCNS_ARCH {
namespace {

// Many memory requests at once stall the core, so lines of the rows needed next are prefetched one
// by one, between other work.

/// Products of x with `kRows` rows, not yet summed over lanes.
template <int kRows>
inline void open_products(const LogisticPairs& p, const float* x, const NodeId* list,
                          std::span<const NodeId> ahead, int n, Vec* out) {
  const float* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = p.table + list[r] * p.stride;
  Vec sums[kRows];
  for (Vec& v : sums) v = Vec{};
  for (int at = 0; at < n; at += kLanes) {
    for (const NodeId row : ahead) __builtin_prefetch(p.table + row * p.stride + at);
    for (int r = 0; r < kRows; ++r) sums[r] += load(x + at) * load(rows[r] + at);
  }
  for (int r = 0; r < kRows; ++r) out[r] = sums[r];
}

inline void score_pair(const LogisticPairs& p, const NodeId* rows, std::span<const NodeId> ahead,
                       int n, Vec* open) {
  const float* x = p.table + rows[0] * p.stride;
  const NodeId* targets = rows + 1;
  int r = 0;
#ifdef __AVX512F__
  for (; r + 6 <= p.width; r += 6) {
    open_products<6>(p, x, targets + r, ahead, n, open + r);
    ahead = {};
  }
#endif
  for (; r + 2 <= p.width; r += 2) {
    open_products<2>(p, x, targets + r, ahead, n, open + r);
    ahead = {};
  }
  if (r < p.width) open_products<1>(p, x, targets + r, ahead, n, open + r);
}

/// Targets move against their source as it was, and it against them: `kWide` vectors of each. A
/// target that is the source itself has its share in what the source becomes.
template <int kWide, bool kShrink>
inline void descend(const LogisticPairs& p, const NodeId* rows, std::span<const NodeId> ahead,
                    const float* steps, int at) {
  float* x = p.table + rows[0] * p.stride + at;
  Vec from[kWide], to[kWide];
  for (int i = 0; i < kWide; ++i) {
    from[i] = load(x + i * kLanes);
    to[i] = kShrink ? p.keep * from[i] : from[i];
  }
  for (int r = 0; r < p.width; ++r) {
    float* row = p.table + rows[r + 1] * p.stride + at;
    const Vec step = Vec{} + steps[r];
    if (static_cast<std::size_t>(r) < ahead.size())
      for (int i = 0; i < kWide; ++i)
        __builtin_prefetch(p.table + ahead[r] * p.stride + at + i * kLanes);
    if (row == x)
      for (int i = 0; i < kWide; ++i) to[i] += step * from[i];
    for (int i = 0; i < kWide; ++i) {
      const Vec v = load(row + i * kLanes);
      to[i] += step * v;
      store(row + i * kLanes, (kShrink ? p.keep * v : v) + step * from[i]);
    }
  }
  for (int i = 0; i < kWide; ++i) store(x + i * kLanes, to[i]);
}

float logistic_step(const LogisticPairs& p, int n) {
  const int step = p.width + 1, half = step / 2;
  const auto ahead = [&](int from, int to) {
    const int first = std::min(from, p.ahead_count), last = std::min(to, p.ahead_count);
    return std::span(p.ahead + first, static_cast<std::size_t>(last - first));
  };
  Vec open[kLanes];
  for (int i = 0; i < p.pairs; ++i)
    score_pair(p, p.rows + i * step, ahead(i * step, i * step + half), n, open + i * p.width);
  for (int i = p.pairs * p.width; i < kLanes; ++i) open[i] = open[0];  // weighs nothing
  const Vec sign = load(p.signs);
  Vec loss{};
  const Vec slopes = sign * softplus_step(sign * (sums16(open) - p.margin), loss);
  alignas(64) float steps[kLanes];
  store(steps, -p.lr * slopes);
  for (int i = 0; i < p.pairs; ++i) {
    const auto next = ahead(i * step + half, (i + 1) * step);
    in_stretches(n, [&](auto wide, int at) {
      constexpr int kWide = decltype(wide)::value;
      if (p.keep == 1)
        descend<kWide, false>(p, p.rows + i * step, next, steps + i * p.width, at);
      else
        descend<kWide, true>(p, p.rows + i * step, next, steps + i * p.width, at);
    });
  }
  return sum(loss * sign * sign);
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

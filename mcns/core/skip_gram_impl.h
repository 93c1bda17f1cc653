// Skip-gram's step, included once per instruction set by kernels_impl.h: scores, loss and updates
// of a few pairs while their rows are in the nearest cache.
namespace mcns::MCNS_ARCH {
namespace {

/// Slopes of the targets of a pair and L2, times the learning rate: a step of size 1 along them is
/// one of that rate.
struct ScaledSlopes {
  const float* targets;
  float l2;
};

/// Targets move against their source as it was, and it against them: `kWide` vectors of each. A
/// target that is the source itself has its share in what the source becomes.
template <int kWide, bool kShrink>
inline void descend(const Sgd& optimizer, const SkipGramPairs& p, const NodeId* rows,
                    std::span<const NodeId> ahead, ScaledSlopes slopes, int at) {
  float* x = p.table + rows[0] * p.stride + at;
  Vec from[kWide], gradient[kWide];
  for (int i = 0; i < kWide; ++i) {
    from[i] = load(x + i * kLanes);
    gradient[i] = kShrink ? slopes.l2 * from[i] : Vec{};
  }
  for (int r = 0; r < p.width; ++r) {
    float* row = p.table + rows[r + 1] * p.stride + at;
    const Vec slope = Vec{} + slopes.targets[r];
    if (static_cast<std::size_t>(r) < ahead.size())
      for (int i = 0; i < kWide; ++i)
        __builtin_prefetch(p.table + ahead[r] * p.stride + at + i * kLanes);
    if (row == x)
      for (int i = 0; i < kWide; ++i) gradient[i] += slope * from[i];
    for (int i = 0; i < kWide; ++i) {
      Vec v = load(row + i * kLanes);
      gradient[i] += slope * v;
      const Vec g = kShrink ? slope * from[i] + slopes.l2 * v : slope * from[i];
      optimizer.step<FastMath>(v, g, static_cast<Vec*>(nullptr), 1.0F);
      store(row + i * kLanes, v);
    }
  }
  for (int i = 0; i < kWide; ++i) {
    optimizer.step<FastMath>(from[i], gradient[i], static_cast<Vec*>(nullptr), 1.0F);
    store(x + i * kLanes, from[i]);
  }
}

float skip_gram(const Logistic& loss, const Sgd& optimizer, const SkipGramPairs& p, int n) {
  const int step = p.width + 1, half = step / 2;
  const auto ahead = [&](int from, int to) {
    const int first = std::min(from, p.ahead_count), last = std::min(to, p.ahead_count);
    return std::span(p.ahead + first, static_cast<std::size_t>(last - first));
  };
  const Rows table{p.table, p.stride};
  Vec open[kLanes];
  for (int i = 0; i < p.pairs; ++i) {
    const NodeId* rows = p.rows + i * step;
    open_pair(table, table[rows[0]], rows + 1, p.width, ahead(i * step, i * step + half), n,
              open + i * p.width);
  }
  for (int i = p.pairs * p.width; i < kLanes; ++i) open[i] = open[0];  // weighs nothing
  const Vec sign = load(p.signs);
  const auto term = loss.term<FastMath>(sums16(open), sign);
  alignas(64) float slopes[kLanes];
  store(slopes, p.rate * term.slope);
  for (int i = 0; i < p.pairs; ++i) {
    const auto next = ahead(i * step + half, (i + 1) * step);
    const ScaledSlopes scaled{slopes + i * p.width, p.rate * p.l2};
    in_stretches(n, [&](auto wide, int at) {
      constexpr int kWide = decltype(wide)::value;
      if (p.l2 == 0)
        descend<kWide, false>(optimizer, p, p.rows + i * step, next, scaled, at);
      else
        descend<kWide, true>(optimizer, p, p.rows + i * step, next, scaled, at);
    });
  }
  return sum((term.linear + FastMath::log(term.factor)) * sign * sign);
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

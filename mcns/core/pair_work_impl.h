// Scores, slopes and gradients of pairs over frozen vectors, included once per instruction set by
// kernels_impl.h.
//
// Rows lie anywhere in memory and each is used for a few nanoseconds, so the rows that are needed
// next are asked for meanwhile: line by line between other work, as many requests at once would
// stall the core. The lists that name them are asked for earlier still: rows push them out of the
// nearer caches.
namespace mcns::MCNS_ARCH {
namespace {

/// Rows of a table by number.
struct Rows {
  const float* table;
  std::size_t stride;
  const float* operator[](NodeId row) const { return table + row * stride; }
};

/// Products of x with `kRows` rows, not yet summed over lanes.
template <int kRows>
inline void open_products(Rows rows, const float* x, const NodeId* list,
                          std::span<const NodeId> ahead, int n, Vec* out) {
  const float* targets[kRows];
  for (int r = 0; r < kRows; ++r) targets[r] = rows[list[r]];
  Vec sums[kRows];
  for (Vec& v : sums) v = Vec{};
  for (int at = 0; at < n; at += kLanes) {
    for (const NodeId row : ahead) __builtin_prefetch(rows[row] + at);
    for (int r = 0; r < kRows; ++r) sums[r] += load(x + at) * load(targets[r] + at);
  }
  for (int r = 0; r < kRows; ++r) out[r] = sums[r];
}

/// Of a source with all of its pair's targets.
inline void open_pair(Rows rows, const float* x, const NodeId* targets, int width,
                      std::span<const NodeId> ahead, int n, Vec* open) {
  int r = 0;
#ifdef __AVX512F__
  for (; r + 6 <= width; r += 6) {
    open_products<6>(rows, x, targets + r, ahead, n, open + r);
    ahead = {};
  }
#endif
  for (; r + 2 <= width; r += 2) {
    open_products<2>(rows, x, targets + r, ahead, n, open + r);
    ahead = {};
  }
  if (r < width) open_products<1>(rows, x, targets + r, ahead, n, open + r);
}

double logistic_losses(const Logistic& loss, float* s, int pairs, int n) {
  const int count = pairs * n;
  const Vec one = Vec{} + 1.0F;
  Vec total{};
  for (int i = 0, positive = 0; i < count; i += kLanes) {
    const int some = std::min(kLanes, count - i);
    std::uint32_t positives = 0;
    for (; positive < i + some; positive += n) positives |= 1U << (positive - i);
    // What is beyond the end adds 0.
    const auto t = loss.term<FastMath>(load_some(s + i, some, -1e4F), choose(positives, -one, one));
    total += t.linear + FastMath::log(t.factor);
    store_some(s + i, t.slope, some);
  }
  return sum(total);
}

constexpr int kMostScores = 64;  ///< of the pairs that are scored together

/// Rows of the pair after the next, in the order of the pairs: further ahead they would push each
/// other out.
inline std::span<const NodeId> rows_ahead(const PairWork& w, int at) {
  const std::int32_t next = w.order[std::min(at + 2, w.pairs - 1)];
  return {w.targets + std::size_t(next) * w.width, std::size_t(w.width)};
}

/// Asks for what the lists say of a pair that comes later.
inline void ask_for_lists(const PairWork& w, int at) {
  constexpr int kAhead = 8;
  const std::size_t pair = w.order[std::min(at + kAhead, w.pairs - 1)], first = pair * w.width;
  __builtin_prefetch(w.sources + pair);
  __builtin_prefetch(w.targets + first);
  __builtin_prefetch(w.targets + first + w.width - 1);
  __builtin_prefetch(w.slopes + first, 1);
}

/// Scores of some pairs, one after the other. The first half of the rows ahead is asked for here.
inline void score_some(const PairWork& w, int first, int count, int n, float* s) {
  const Rows rows{w.vectors, w.stride};
  Vec open[kMostScores + kLanes];
  for (int p = 0; p < count; ++p) {
    const std::int32_t pair = w.order[first + p];
    const auto ahead = rows_ahead(w, first + p);
    ask_for_lists(w, first + p);
    open_pair(rows, rows[w.sources[pair]], w.targets + std::size_t(pair) * w.width, w.width,
              ahead.first(ahead.size() / 2), n, open + p * w.width);
  }
  const int scores = count * w.width;
  for (int i = scores; i % kLanes != 0; ++i) open[i] = Vec{};
  for (int i = 0; i < scores; i += kLanes)
    store_some(s + i, sums16(open + i), std::min(kLanes, scores - i));
}

/// Losses of some pairs in place of their scores.
inline double lose(const PairWork& w, int first, int count, float* s) {
  if (w.weights == nullptr && w.pair_weights == nullptr)
    return w.loss(w.loss_state, s, nullptr, count, w.width);
  double total = 0;
  for (int p = 0; p < count; ++p, s += w.width) {
    const std::size_t pair = w.order[first + p];
    const float share = w.pair_weights == nullptr ? 1.0F : w.pair_weights[pair];
    if (share == 0) {
      for (int j = 0; j < w.width; ++j) s[j] = 0;
      continue;
    }
    const float* weights = w.weights == nullptr ? nullptr : w.weights + pair * (w.width - 1);
    total += share * w.loss(w.loss_state, s, weights, 1, w.width);
    if (share != 1)
      for (int j = 0; j < w.width; ++j) s[j] *= share;
  }
  return total;
}

/// Adds targets times their slopes to the gradient of the source: `kWide` vectors stay in
/// registers.
template <int kWide>
inline void add_targets(const PairWork& w, const NodeId* targets, const float* s,
                        std::span<const NodeId> ahead, bool opens, int at, float* gradient) {
  const Rows rows{w.vectors, w.stride};
  Vec sums[kWide];
  for (int i = 0; i < kWide; ++i) sums[i] = opens ? Vec{} : load(gradient + at + i * kLanes);
  for (int j = 0; j < w.width; ++j) {
    if (static_cast<std::size_t>(j) < ahead.size())
      for (int i = 0; i < kWide; ++i) __builtin_prefetch(rows[ahead[j]] + at + i * kLanes);
    const float* x = rows[targets[j]] + at;
    for (int i = 0; i < kWide; ++i) sums[i] += s[j] * load(x + i * kLanes);
  }
  for (int i = 0; i < kWide; ++i) store(gradient + at + i * kLanes, sums[i]);
}

/// Writes the slopes of a pair and adds to the gradient of its source. The second half of the rows
/// ahead is asked for here.
inline void pull_source(const PairWork& w, int at, const float* s, int n) {
  const std::size_t pair = w.order[at];
  const NodeId source = w.sources[pair];
  const NodeId* targets = w.targets + pair * w.width;
  Slope* slopes = w.slopes + pair * w.width;
  for (int j = 0; j < w.width; ++j) slopes[j] = {source, s[j]};
  float* gradient = w.gradients + std::size_t(w.slots[pair]) * n;
  const bool opens = at == 0 || w.slots[w.order[at - 1]] != w.slots[pair];
  const auto ahead = rows_ahead(w, at);
  const float* const next_source =
      w.vectors + w.sources[w.order[std::min(at + 2, w.pairs - 1)]] * w.stride;
  float* const next_gradient =
      w.gradients + std::size_t(w.slots[w.order[std::min(at + 3, w.pairs - 1)]]) * n;
  for (int i = 0; i < n; i += kLanes) {
    __builtin_prefetch(next_source + i);
    __builtin_prefetch(next_gradient + i, 1);
  }
  in_stretches(n, [&](auto wide, int column) {
    add_targets<decltype(wide)::value>(w, targets, s, ahead.subspan(ahead.size() / 2), opens,
                                       column, gradient);
  });
}

/// Adds the share of the squared length of the sources that pairs [first, last) complete.
inline void shrink_sources(const PairWork& w, int first, int last, int n) {
  if (w.l2 == 0) return;
  for (int at = first; at < last; ++at) {
    const std::size_t pair = w.order[at];
    if (at + 1 < w.pairs && w.slots[w.order[at + 1]] == w.slots[pair]) continue;
    int learned = 0;
    for (int i = at; i >= 0 && w.slots[w.order[i]] == w.slots[pair]; --i)
      learned += w.pair_weights == nullptr || w.pair_weights[w.order[i]] != 0 ? 1 : 0;
    axpy(w.gradients + std::size_t(w.slots[pair]) * n, w.l2 * static_cast<float>(learned),
         w.vectors + w.sources[pair] * w.stride, n);
  }
}

/// As many pairs together as have their rows in the nearest cache; wide ones one by one.
double score_pairs(const PairWork& w, int n) {
  constexpr int kTogether = 2;
  const bool wide = w.width > kMostScores;
  const int together = wide ? 1 : std::min(kMostScores / w.width, kTogether);
  alignas(64) float local[kMostScores];
  double loss = 0;
  for (int first = 0; first < w.pairs; first += together) {
    const int count = std::min(together, w.pairs - first);
    float* const s = wide ? w.scratch : local;
    if (wide)
      dots(w.vectors + w.sources[w.order[first]] * w.stride,
           {w.vectors, w.stride, w.targets + std::size_t(w.order[first]) * w.width, w.width}, n, s);
    else
      score_some(w, first, count, n, s);
    if (w.scores != nullptr)
      for (int p = 0; p < count; ++p)
        for (int j = 0; j < w.width; ++j)
          w.scores[std::size_t(w.order[first + p]) * w.width + j] = s[p * w.width + j];
    loss += lose(w, first, count, s);
    for (int p = 0; p < count; ++p) pull_source(w, first + p, s + p * w.width, n);
    shrink_sources(w, first, first + count, n);
  }
  return loss;
}

/// Adds the sources of places [first, last), times their slopes: `kWide` vectors stay in registers.
/// The sources of later places are asked for meanwhile.
template <int kWide>
inline void add_places(const TargetWork& w, std::int32_t first, std::int32_t last, bool opens,
                       int at, float* gradient) {
  constexpr std::int32_t kAhead = 8, kSlopesAhead = 24;
  const Rows rows{w.vectors, w.stride};
  Vec sums[kWide];
  for (int i = 0; i < kWide; ++i) sums[i] = opens ? Vec{} : load(gradient + at + i * kLanes);
  const std::int32_t end = w.first[w.groups] - 1;
  for (std::int32_t p = first; p < last; ++p) {
    const Slope slope = w.slopes[w.places[p]];
    __builtin_prefetch(w.slopes + w.places[std::min(p + kSlopesAhead, end)]);
    const float* const next = rows[w.slopes[w.places[std::min(p + kAhead, end)]].source] + at;
    const float* const x = rows[slope.source] + at;
    for (int i = 0; i < kWide; ++i) {
      __builtin_prefetch(next + i * kLanes);
      sums[i] += slope.value * load(x + i * kLanes);
    }
  }
  for (int i = 0; i < kWide; ++i) store(gradient + at + i * kLanes, sums[i]);
}

/// Gradient of a group's row.
inline void sum_target(const TargetWork& w, int group, int n) {
  const std::int32_t first = w.first[group], last = w.first[group + 1];
  const NodeId row = w.rows[group];
  const std::int32_t slot = w.source_slot[row];
  float* gradient = slot < 0 ? w.scratch : w.source_gradients + std::size_t(slot) * n;
  in_stretches(n, [&](auto wide, int at) {
    add_places<decltype(wide)::value>(w, first, last, slot < 0, at, gradient);
  });
  if (w.l2 != 0) {
    int learned = last - first;
    if (w.pair_weights != nullptr)
      for (std::int32_t p = first; p < last; ++p)
        learned -= w.pair_weights[w.places[p] / w.width] == 0 ? 1 : 0;
    axpy(gradient, w.l2 * static_cast<float>(learned), w.table + row * w.stride, n);
  }
  if (slot < 0) w.done(w.context, row, gradient);
}

void sum_targets(const TargetWork& w, int n) {
  constexpr int kAhead = 4;
  for (int g = 0; g < w.groups; ++g) {
    __builtin_prefetch(w.source_slot + w.rows[std::min(g + 2 * kAhead, w.groups - 1)]);
    const float* const next = w.table + w.rows[std::min(g + kAhead, w.groups - 1)] * w.stride;
    for (int at = 0; at < n; at += kLanes) __builtin_prefetch(next + at);
    sum_target(w, g, n);
  }
}

/// A step of an optimizer on a row.
template <class OptimizerFn>
void update_rows(const OptimizerFn& optimizer, float* __restrict w, const float* __restrict g,
                 float* __restrict state, float rate, int n) {
  for (int i = 0; i < n; ++i) {
    float slots[OptimizerFn::kSlots + 1];
    for (int s = 0; s < OptimizerFn::kSlots; ++s) slots[s] = state[s * n + i];
    optimizer.template step<LoopMath>(w[i], g[i], slots, rate);
    for (int s = 0; s < OptimizerFn::kSlots; ++s) state[s * n + i] = slots[s];
  }
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

#include "mcns/samplers/full_policy.h"

#include <algorithm>
#include <limits>

#include "mcns/samplers/enumerate.h"

namespace mcns {
namespace {

/// Floats from row to row, for n targets: an odd number of cache lines, so that a column's floats
/// fall into different sets of the cache.
int row_width(std::int64_t n) {
  const int lines = padded(static_cast<int>(n)) / kRowAlign;
  return (lines | 1) * kRowAlign;
}

void transpose(const Matrix& in, Matrix& out) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t from = 0; from < in.rows(); from += kBlock) {
    const std::int64_t to = std::min(in.rows(), from + kBlock);
    for (int d = 0; d < in.dim(); ++d)
      for (std::int64_t i = from; i < to; ++i) out.row(d)[i] = in.row(i)[d];
  }
}

/// Sources whose rows are kept, of those in a batch.
std::int32_t rows_kept(std::int64_t sources, std::int64_t targets, std::int64_t bytes) {
  const auto row_bytes = std::int64_t{row_width(targets)} * std::int64_t{sizeof(float)};
  // Whole tiles, so that a piece of work never has sources of two rounds.
  constexpr std::int64_t kTile = FullPolicy::kTile;
  const auto fit = std::max<std::int64_t>(1, bytes / row_bytes / kTile) * kTile;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sources, 1, fit));
}

}  // namespace

FullPolicy::FullPolicy(const Generator& generator, const Exclusion& exclusion,
                       std::int64_t kept_bytes)
    : generator_(generator),
      exclusion_(exclusion),
      kept_bytes_(kept_bytes),
      first_(exclusion.targets().begin),
      groups_(generator.sources().rows()) {}

std::uint64_t FullPolicy::bytes(const SamplerSizes& sizes) {
  const auto targets = static_cast<std::uint64_t>(sizes.graph.targets().size());
  const auto sources = std::min<std::uint64_t>(sizes.batch, sizes.graph.sources().size());
  return (targets + sources) * sizes.row_bytes() +
         std::uint64_t(rows_kept(sources, targets, kKeptBytes)) * row_width(targets) *
             sizeof(float);
}

void FullPolicy::begin(std::span<const Pair> pairs) {
  keys_.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) keys_[i] = pairs[i].source;
  groups_.build(keys_);
  const Matrix& targets = generator_.targets();
  const int width = row_width(targets.rows());
  if (across_.empty()) across_ = Matrix(targets.dim(), width);
  transpose(targets, across_);
  if (vectors_.rows() < groups_.size()) vectors_ = Matrix(groups_.size(), targets.dim());
  for (std::int32_t s = 0; s < groups_.size(); ++s)
    std::copy_n(generator_.sources().row(groups_.key(s)), vectors_.stride(), vectors_.row(s));
  kept_ = rows_kept(groups_.size(), targets.rows(), kept_bytes_);
  if (terms_.rows() < kept_) terms_ = Matrix(kept_, width);
  totals_.assign(groups_.size(), 0.0);
}

bool FullPolicy::holds(std::span<const Pair> pairs) const {
  return std::equal(pairs.begin(), pairs.end(), keys_.begin(), keys_.end(),
                    [](const Pair& pair, NodeId key) { return pair.source == key; });
}

void FullPolicy::score(std::int32_t first, std::int32_t last, float* rows) const {
  kernels().multiply({rows, terms_.stride(), vectors_.row(first), vectors_.stride(), 1,
                      across_.data(), across_.stride(), last - first,
                      static_cast<int>(generator_.targets().rows()), vectors_.dim()});
}

void FullPolicy::normalise(std::int32_t source, float* row, std::vector<double>& cumulative) {
  const auto n = static_cast<int>(generator_.targets().rows());
  for_each_excluded(exclusion_, groups_.key(source),
                    [&](NodeId v) { row[v - first_] = -std::numeric_limits<float>::infinity(); });
  std::vector<float> sums((n + kSoftmaxBlock - 1) / kSoftmaxBlock);
  kernels().softmax_terms(row, n, generator_.inverse_temperature(), sums.data());
  cumulative.resize(sums.size());
  double total = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) cumulative[b] = total += sums[b];
  if (row == this->row(source)) totals_[source] = total;
}

void FullPolicy::complete(std::int32_t first, std::int32_t last) {
  for (std::int32_t s = first; s < last;) {
    std::int32_t end = s;
    while (end < last && !(totals_[end] > 0)) ++end;
    if (s < end) make(s, end, row(s), [](std::int32_t, const float*, std::span<const double>) {});
    s = end + 1;
  }
}

NodeId FullPolicy::draw(NodeId source, const float* row, std::span<const double> cumulative,
                        Rng& rng) const {
  // Scores that are not finite leave no terms; what is drawn is allowed all the same.
  if (!(cumulative.back() > 0)) return exclusion_.draw_uniform(source, rng) - first_;
  const double at = rng.uniform() * cumulative.back();
  auto found = std::upper_bound(cumulative.begin(), cumulative.end(), at);
  if (found == cumulative.end())
    found = std::lower_bound(cumulative.begin(), cumulative.end(), cumulative.back());
  const auto block = found - cumulative.begin();
  const auto begin = static_cast<NodeId>(block * kSoftmaxBlock);
  const auto end = static_cast<NodeId>(
      std::min<std::int64_t>(generator_.targets().rows(), begin + kSoftmaxBlock));
  double left = block == 0 ? at : at - cumulative[block - 1];
  NodeId last = begin;  // with a term that is not 0: the block's sum is rounded otherwise
  for (NodeId v = begin; v < end; ++v) {
    if (row[v] > 0) last = v;
    if ((left -= row[v]) < 0) break;
  }
  return last;
}

double FullPolicy::find(NodeId source, NodeId target) const {
  if (keys_.empty()) return 0;
  const auto keys = groups_.keys();
  const auto number = static_cast<std::int32_t>(std::ranges::find(keys, source) - keys.begin());
  if (number >= std::min(kept_, groups_.size()) || !(totals_[number] > 0)) return 0;
  return row(number)[target - first_] / totals_[number];
}

}  // namespace mcns

#include "mcns/encoders/block.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace mcns {
namespace {

constexpr std::int64_t kStretchFloats = 1 << 16;  // 256 KB: an L2 cache holds it and more
constexpr std::int64_t kFewestStretches = 64;     // work for threads
constexpr EdgeId kSmallestPiece = 16384, kMostPieces = 64;

}  // namespace

void Block::give_back(ConstMatrixRef above, MatrixRef below, std::int64_t own, ThreadPool& pool) {
  group_arcs(below.stride, pool);
  pool.run(stretches(), [&](std::int64_t i) {
    const std::int64_t begin = i << shift_, end = std::min<std::int64_t>((i + 1) << shift_, inputs);
    for (std::int64_t j = std::max(own, begin); j < end; ++j)
      std::fill_n(below.row(j), below.stride, 0.0F);
    const EdgeId first = i == 0 ? 0 : ends_[i - 1];
    kernels().scatter(below.data, arcs_.data() + first, static_cast<std::size_t>(ends_[i] - first),
                      above.data, below.stride);
  });
}

/// Calls arc(row above, e) for arcs [begin, end).
template <class Visit>
void Block::each_arc(EdgeId begin, EdgeId end, const Visit& arc) const {
  const auto after = std::upper_bound(offsets.begin(), offsets.end(), begin);
  auto row = static_cast<NodeId>(after - offsets.begin()) - 1;
  for (EdgeId e = begin; e < end; ++row)
    for (const EdgeId stop = std::min(end, offsets[row + 1]); e < stop; ++e) arc(row, e);
}

/// By stretches of rows below, each of `stride` floats.
void Block::group_arcs(int stride, ThreadPool& pool) {
  const std::int64_t rows = std::min(kStretchFloats / stride, inputs / kFewestStretches);
  shift_ = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 1))) - 1;
  const auto arcs = static_cast<EdgeId>(columns.size());
  const EdgeId per_piece = std::max(kSmallestPiece, (arcs + kMostPieces - 1) / kMostPieces);
  const std::int64_t pieces = (arcs + per_piece - 1) / per_piece;
  const auto places = [&](std::int64_t piece) { return places_.data() + piece * stretches(); };
  places_.assign(static_cast<std::size_t>(pieces * stretches()), 0);
  pool.for_ranges(arcs, per_piece, [&](EdgeId begin, EdgeId end) {
    EdgeId* const count = places(begin / per_piece);
    for (EdgeId e = begin; e < end; ++e) ++count[columns[e] >> shift_];
  });
  ends_.resize(static_cast<std::size_t>(stretches()));
  EdgeId total = 0;
  for (std::int64_t s = 0; s < stretches(); ++s) {
    for (std::int64_t piece = 0; piece < pieces; ++piece)
      total += std::exchange(places(piece)[s], total);
    ends_[s] = total;
  }
  arcs_.resize(static_cast<std::size_t>(arcs));
  pool.for_ranges(arcs, per_piece, [&](EdgeId begin, EdgeId end) {
    EdgeId* const place = places(begin / per_piece);
    each_arc(begin, end, [&](NodeId row, EdgeId e) {
      arcs_[place[columns[e] >> shift_]++] = {row, columns[e], values[e]};
    });
  });
}

}  // namespace mcns

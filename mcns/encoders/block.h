// One layer's arcs: a sparse matrix from the rows below to the rows above, by rows above for the
// way forward, and by stretches of rows below for the way back.
//
// A stretch of gradient rows has one owner that adds to them arc by arc, in the order of the rows
// above, while they are in cache: the same sums for any number of threads and any cut. That takes
// one pass that deals the arcs out to stretches, and no sorting within them.
#pragma once

#include <span>
#include <vector>

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/core/types.h"
#include "mcns/encoders/gather.h"

namespace mcns {

class Block {
 public:
  std::int32_t outputs = 0, inputs = 0;
  std::vector<EdgeId> offsets;  ///< outputs + 1
  std::vector<NodeId> columns;  ///< rows below
  std::vector<float> values;

  /// out += the aggregate of output `i` over `below`.
  void aggregate(std::int64_t i, ConstMatrixRef below, float* out) const {
    gather_sum(offsets[i], offsets[i + 1], columns, values.data(), below, out);
  }

  /// Prepares the way back, once all of the above is there. A row below is `stride` floats.
  void deal(int stride, ThreadPool& pool);

  struct Stretch {
    std::int64_t begin, end;  ///< rows below
    std::span<const Arc> arcs;
  };
  std::int64_t stretches() const { return (inputs + span() - 1) / span(); }
  Stretch stretch(std::int64_t i) const;
  /// below += what the rows of a stretch get back from the outputs' rows.
  static void distribute(const Stretch& stretch, ConstMatrixRef above, MatrixRef below) {
    kernels().scatter(below.data, stretch.arcs.data(), stretch.arcs.size(), above.data,
                      above.stride);
  }

 private:
  std::int64_t span() const { return std::int64_t{1} << shift_; }
  template <class Visit>
  void each_arc(EdgeId begin, EdgeId end, const Visit& arc) const;

  int shift_ = 0;  ///< a stretch has 2^shift rows
  std::vector<Arc> arcs_;
  std::vector<EdgeId> ends_;    ///< of the stretches, in arcs_
  std::vector<EdgeId> places_;  ///< a row a piece: where it writes next, by stretch
};

}  // namespace mcns

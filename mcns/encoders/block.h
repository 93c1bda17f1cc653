// One layer's arcs: a sparse matrix from the rows below to the rows above, by rows above for the
// way forward, and by stretches of rows below for the way back.
//
// A stretch of gradient rows has one owner that adds to them arc by arc, in the order of the rows
// above, while they are in cache: the same sums for any number of threads and any cut. That takes
// one pass that groups the arcs by stretch, and no sorting within them.
#pragma once

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

  /// below += what rows below get back from the outputs' rows, all of one width; rows from `own` on
  /// hold nothing yet and start from zero.
  void give_back(ConstMatrixRef above, MatrixRef below, std::int64_t own, ThreadPool& pool);

 private:
  std::int64_t stretches() const { return (inputs + (std::int64_t{1} << shift_) - 1) >> shift_; }
  void group_arcs(int stride, ThreadPool& pool);
  template <class Visit>
  void each_arc(EdgeId begin, EdgeId end, const Visit& arc) const;

  int shift_ = 0;  ///< a stretch has 2^shift rows
  std::vector<Arc> arcs_;
  std::vector<EdgeId> ends_;    ///< of the stretches, in arcs_
  std::vector<EdgeId> places_;  ///< a row a piece: where it writes next, by stretch
};

}  // namespace mcns

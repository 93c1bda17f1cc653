// Rows on their way between the processes that share a model: gather, compact, and return to the
// rows' owners.
//
// Every process knows the whole batch and learns from its own part of the batch's blocks
// (pair_sampling.h), which have whole sources. gather() fetches the distinct rows of these pairs
// from their owners into a compact matrix. give_back() returns the gradients of sources, which are
// complete, and of targets in the form in which they are small: slope and source of each place,
// with the sources' vectors, from which a row's owner sums in pair order. So the bytes are those of
// one process. Row r belongs to process r mod size. One process has all rows: nothing is copied.
#pragma once

#include "mcns/core/comm.h"
#include "mcns/core/matrix.h"
#include "mcns/train/target_sums.h"

namespace mcns {

class RowExchange {
 public:
  RowExchange(Comm& comm, std::int64_t rows, int stride)
      : comm_(comm), slot_of_row_(comm.size() > 1 ? rows : 0, -1), stride_(stride) {}

  bool is_alone() const { return comm_.size() == 1; }

  /// Vectors of the pairs' rows; `rows` becomes their numbers there. `table` has current vectors in
  /// the rows that this process owns.
  const float* gather(const Matrix& table, PairRows& rows, const PairSampling& sampling);
  /// The sum of all processes' losses, in the order of the batch.
  double total(std::span<const double> own);
  /// What the rows of this process get from all of them; `own` are the pairs on gathered rows.
  /// Valid until the next call.
  RowWork give_back(const RowWork& own, const PairSampling& sampling);

 private:
  int owner(NodeId row) const { return static_cast<int>(row % comm_.size()); }
  void send_sources(const RowWork& own, const PairSampling& sampling,
                    std::vector<Comm::Bytes>& parts) const;
  void send_places(const RowWork& own, const PairSampling& sampling,
                   std::vector<Comm::Bytes>& parts) const;
  void receive(const std::vector<Comm::Bytes>& parts);

  Comm& comm_;
  std::vector<std::int32_t> slot_of_row_;  ///< in the compact matrix; -1: not there
  int stride_;
  std::vector<NodeId> row_of_slot_;
  Matrix compact_{0, 0};

  // What give_back() returns views of.
  std::vector<NodeId> rows_, source_rows_;
  std::vector<Slope> slopes_;
  std::vector<float> pair_weights_;
  Matrix vectors_{0, 0}, source_gradients_{0, 0};
};

}  // namespace mcns

// A matrix that is learned, with its optimizer's state and its gradient. A weight's gradient has
// all rows; an input table's has the rows that a batch touched.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/core/types.h"
#include "mcns/encoders/encoder.h"
#include "mcns/optim/optimizers.h"

namespace mcns {

/// Rows that grow and never shrink, so that a loop stops allocating. The padding of rows is zero.
class RowBuffer {
 public:
  static constexpr std::int64_t kSlack = 4;  ///< grows by a part of what is asked for

  RowBuffer() = default;
  /// Never asked for more than `most` rows.
  RowBuffer(int dim, std::int64_t most) : dim_(dim), most_(most) {}
  /// `count` rows; what they hold is left over from before, or undefined where it had to grow.
  MatrixRef rows(std::int64_t count) {
    if (count > matrix_.rows()) {
      matrix_ = Matrix();  // first, so that the two never stand side by side
      matrix_ = Matrix(std::min(count + count / kSlack, most_), dim_);
    }
    return {matrix_.data(), count, dim_, padded(dim_)};
  }
  ConstMatrixRef view(std::int64_t count) const {
    return {matrix_.data(), count, dim_, padded(dim_)};
  }

 private:
  int dim_ = 0;
  std::int64_t most_ = 0;
  Matrix matrix_;
};

struct Parameter {
  Parameter() = default;
  Parameter(std::string parameter_name, std::int64_t rows, int dim, int optimizer_slots);

  void update(const Optimizer& optimizer, Tick tick, ThreadPool& pool);
  void visit_state(Archive& archive);
  void visit_gradient(const Encoder::VisitGradient& visit) const;

  std::string name;
  Matrix value, state;
  RowBuffer gradient;           ///< row i is of touched[i], or of row i where `dense`
  std::vector<NodeId> touched;  ///< distinct
  bool dense = true;
};

}  // namespace mcns

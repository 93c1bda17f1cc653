// What turns a node into a vector. Every encoder keeps a table of current vectors, which samplers
// score against and evaluators read; lookup's table is its parameters, a graph neural network's is
// computed. The distinct rows of a batch go forward as one block, and the gradients of their
// vectors come back.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mcns/core/archive.h"
#include "mcns/core/batch.h"
#include "mcns/core/graph.h"
#include "mcns/core/matrix.h"
#include "mcns/core/parallel.h"
#include "mcns/core/scorer.h"
#include "mcns/optim/optimizers.h"

namespace mcns {

class Features;
class Lookup;

/// Score of a pair: the dot product or the cosine of its vectors, over the temperature; with the
/// cosine, the popularity of an item may be added (similarity.h).
struct Scoring {
  bool cosine = false;
  double temperature = 1;
  double popularity = 0;  ///< factor of the logarithm of an item's degree

  bool is_plain() const { return !cosine && temperature == 1; }
};

class Encoder {
 public:
  using VisitParameter = std::function<void(const std::string& name, Matrix& value)>;

  virtual ~Encoder() = default;
  virtual ConstMatrixRef node_table() const = 0;
  /// The node table again where there is one table only.
  virtual ConstMatrixRef context_table() const { return node_table(); }
  virtual bool has_context() const { return false; }
  Scorer scorer() const { return {node_table(), context_table()}; }

  /// Computes the tables anew from the parameters, exactly.
  virtual void refresh() {}
  /// Whatever a loaded or restored model needs; the order never changes. Tables are not refreshed.
  virtual void visit_parameters(const VisitParameter& visit) = 0;
  /// Parameters, optimizer state, and tables where they cannot be computed again.
  virtual void visit_state(Archive& archive) = 0;

  /// The same object where its table is its parameters, so that rows may be updated in place.
  virtual Lookup* in_place() { return nullptr; }
  /// The encoder whose vectors are scaled; the same object where nothing is.
  virtual Encoder& parameters_of() { return *this; }

  /// Rows of vectors there are: one a node, or a node's and a context's.
  virtual std::int64_t rows() const { return node_table().rows; }
  virtual NodeId source_row(NodeId u) const { return u; }
  virtual NodeId target_row(NodeId v) const { return v; }

  /// Before the negatives of a batch are drawn. An encoder whose tables are cheap to keep exact
  /// makes them so here. Returns whether they changed.
  virtual bool begin_batch() { return false; }
  /// Vectors of distinct rows, ascending, into the rows of `out`; their rows of the table become
  /// these.
  virtual void forward(BatchKey key, std::span<const NodeId> rows, MatrixRef out) = 0;
  /// Takes dL/dvector of the rows of the last forward and computes the parameters' gradients. The
  /// matrix must stay as it is until update().
  virtual void backward(ConstMatrixRef gradients) = 0;
  /// Applies the gradients of the last backward.
  virtual void update(const Optimizer& optimizer, Tick tick) = 0;
  /// Gradients of the last backward, row by row, in the order of visit_parameters; for tests.
  using VisitGradient =
      std::function<void(const std::string& name, std::int64_t row, std::span<const float>)>;
  virtual void visit_gradients(const VisitGradient& visit) const = 0;
};

struct EncoderContext {
  const Graph& graph;
  int dim;
  double init;  ///< expected length of a first input vector
  int optimizer_slots;
  std::uint64_t seed;
  ThreadPool& pool;
  const Features* features = nullptr;  ///< of the nodes; null: every node has a free vector
  int tables = 1;                      ///< 2: a node and a context vector, where that is possible
  Scoring scoring = {};
};

}  // namespace mcns

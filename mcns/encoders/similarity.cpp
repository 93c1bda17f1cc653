#include "mcns/encoders/similarity.h"

#include <cmath>

#include "mcns/core/error.h"
#include "mcns/encoders/lookup.h"
#include "mcns/encoders/parameter.h"

namespace mcns {
namespace {

/// The last coordinates of the rows of a user-item graph; empty: they are like the others.
std::vector<float> popularities(double factor, const Graph& graph, std::int64_t rows) {
  std::vector<float> out;
  if (factor == 0) return out;
  const auto log_of = [&](NodeId item) {
    return std::log1p(static_cast<double>(graph.degree(item)));
  };
  double mean = 0;
  for (NodeId v = graph.num_users(); v < graph.num_nodes(); ++v) mean += log_of(v);
  mean /= graph.num_items();
  out.assign(rows, 1.0F);
  for (NodeId v = graph.num_users(); v < graph.num_nodes(); ++v)
    out[v] = static_cast<float>(factor * (log_of(v) - mean));
  return out;
}

/// Vectors of the length 1 / sqrt(temperature), or times that factor. With c this factor, x a
/// vector and y the scaled one, the gradient of x is c g for the dot product, and
/// (c / |x|) (g - (g . x) x / |x|^2) for the cosine: what would change the length is left out.
/// Where the last coordinate is a popularity, x and g are taken as 0 there. Where the inner table
/// is its parameters, the scaled table follows every update, and a batch is gathered from it.
class ScaledEncoder final : public Encoder {
 public:
  ScaledEncoder(std::unique_ptr<Encoder> inner, Scoring scoring, const Graph& graph,
                ThreadPool& pool)
      : inner_(std::move(inner)),
        cosine_(scoring.cosine),
        factor_(static_cast<float>(1 / std::sqrt(scoring.temperature))),
        last_(popularities(scoring.popularity, graph, inner_->rows())),
        pool_(pool),
        lookup_(inner_->in_place()),
        table_(inner_->rows(), inner_->node_table().dim),
        factors_(inner_->rows()),
        gradients_(table_.dim(), table_.rows()) {
    scale_all();
  }

  ConstMatrixRef node_table() const override { return rows_from(0); }
  ConstMatrixRef context_table() const override { return rows_from(inner_->target_row(0)); }
  bool has_context() const override { return inner_->has_context(); }
  std::int64_t rows() const override { return inner_->rows(); }
  NodeId source_row(NodeId u) const override { return inner_->source_row(u); }
  NodeId target_row(NodeId v) const override { return inner_->target_row(v); }
  Encoder& parameters_of() override { return inner_->parameters_of(); }

  void refresh() override {
    inner_->refresh();
    scale_all();
  }
  void visit_parameters(const VisitParameter& visit) override { inner_->visit_parameters(visit); }
  void visit_gradients(const VisitGradient& visit) const override {
    inner_->visit_gradients(visit);
  }
  void visit_state(Archive& archive) override {
    inner_->visit_state(archive);
    if (archive.is_loading()) scale_all();
  }

  bool begin_batch() override {
    if (!inner_->begin_batch()) return false;
    scale_all();
    return true;
  }
  void forward(BatchKey key, std::span<const NodeId> rows, MatrixRef out) override {
    batch_rows_ = rows;
    if (lookup_ != nullptr) {
      lookup_->select(rows);
      for_batch([&](std::int64_t i) { std::copy_n(table_.row(rows[i]), out.stride, out.row(i)); });
      return;
    }
    inner_->forward(key, rows, out);
    for_batch([&](std::int64_t i) {
      factors_[rows[i]] = scale(out.row(i), rows[i]);
      std::copy_n(out.row(i), out.stride, table_.row(rows[i]));
    });
  }
  void backward(ConstMatrixRef gradients) override {
    const MatrixRef inner = gradients_.rows(gradients.rows);
    for_batch([&](std::int64_t i) {
      const float *g = gradients.row(i), *y = table_.row(batch_rows_[i]);
      const float factor = factors_[batch_rows_[i]];
      float along = 0;
      if (cosine_) {
        along = kernels().dot(g, y, inner.stride);
        if (!last_.empty()) along -= g[table_.dim() - 1] * y[table_.dim() - 1];
        along /= factor_ * factor_;  // |y| is the factor
      }
      float* out = inner.row(i);
      for (int d = 0; d < inner.stride; ++d) out[d] = factor * (g[d] - along * y[d]);
      if (!last_.empty()) out[table_.dim() - 1] = 0;
    });
    inner_->backward(inner);
  }
  void update(const Optimizer& optimizer, Tick tick) override {
    inner_->update(optimizer, tick);
    if (lookup_ == nullptr) return;  // the table follows with the next forward
    const Matrix& vectors = lookup_->parameters();
    for_batch([&](std::int64_t i) { scale_row(batch_rows_[i]); }, &vectors);
  }

 private:
  static constexpr std::int64_t kRowsPerPiece = 128;

  template <class F>
  void for_rows(std::int64_t count, const F& f) const {
    pool_.for_ranges(count, kRowsPerPiece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i);
    });
  }
  /// Over the rows of the last forward; a row of the table, and of another matrix that is needed
  /// beside it, is asked for before its turn comes.
  template <class F>
  void for_batch(const F& f, const Matrix* other = nullptr) const {
    constexpr std::int64_t kAhead = 4;
    pool_.for_ranges(static_cast<std::int64_t>(batch_rows_.size()), kRowsPerPiece,
                     [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const NodeId next = batch_rows_[std::min(i + kAhead, end - 1)];
                         prefetch_row(table_.row(next), table_.stride());
                         if (other != nullptr) prefetch_row(other->row(next), other->stride());
                         f(i);
                       }
                     });
  }
  ConstMatrixRef rows_from(NodeId first) const {
    const ConstMatrixRef inner = inner_->node_table();
    return {table_.row(first), inner.rows, table_.dim(), table_.stride()};
  }
  /// A vector of length 0 stays what it is, and has no gradient.
  float factor_of(const float* x) const {
    if (!cosine_) return factor_;
    const float square = kernels().dot(x, x, table_.stride());
    return square > 0 ? factor_ / std::sqrt(square) : 0.0F;
  }
  /// Returns the factor.
  float scale(float* x, NodeId row) const {
    const int last = table_.dim() - 1;
    if (!last_.empty()) x[last] = 0;
    const float factor = factor_of(x);
    for (int d = 0; d < table_.stride(); ++d) x[d] *= factor;
    if (!last_.empty()) x[last] = last_[row];
    return factor;
  }
  void scale_row(NodeId row) {
    const NodeId nodes = static_cast<NodeId>(inner_->node_table().rows);
    const float* x =
        row < nodes ? inner_->node_table().row(row) : inner_->context_table().row(row - nodes);
    std::copy_n(x, table_.stride(), table_.row(row));
    factors_[row] = scale(table_.row(row), row);
  }
  void scale_all() {
    for_rows(table_.rows(), [&](std::int64_t row) { scale_row(static_cast<NodeId>(row)); });
  }

  std::unique_ptr<Encoder> inner_;
  bool cosine_;
  float factor_;
  std::vector<float> last_;  ///< coordinates of the rows; empty: they are like the others
  ThreadPool& pool_;
  Lookup* lookup_;  ///< the inner encoder; null: it is a network
  Matrix table_;
  std::vector<float> factors_;          ///< of the rows of the table
  std::span<const NodeId> batch_rows_;  ///< of the last forward
  RowBuffer gradients_;                 ///< of the inner vectors
};

}  // namespace

std::unique_ptr<Encoder> with_scoring(std::unique_ptr<Encoder> encoder, Scoring scoring,
                                      const Graph& graph, ThreadPool& pool) {
  require(scoring.temperature > 0 && std::isfinite(scoring.temperature),
          "temperature must be a number above 0, got {}", scoring.temperature);
  require(scoring.popularity == 0 || (scoring.cosine && graph.is_bipartite()),
          "popularity is for the cosine on a user-item graph, got {}", scoring.popularity);
  if (scoring.is_plain()) return encoder;
  return std::make_unique<ScaledEncoder>(std::move(encoder), scoring, graph, pool);
}

}  // namespace mcns

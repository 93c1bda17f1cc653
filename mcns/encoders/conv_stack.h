// Convolutions over a receptive field: the layers of GCN and of GraphSAGE.
//   GCN:        h_v = f(m_v W),               m_v = symmetric sum over v and its neighbours
//   GraphSAGE:  h_v = f([h'_v W_self | m_v W]),  m_v = mean over the neighbours, h' from below
// f is ReLU between layers and nothing after the last; with `residual` a layer adds what came from
// below, h_v = f(...) + h'_v; the output may be scaled to a length. Both aggregate first, so the
// products run over the rows of the level above only. A tile of rows is gathered and multiplied by
// one thread while it is in cache; weight gradients are cut by their own rows, each summed over the
// whole batch in one product. The cost of a batch is O(arcs drawn x width + nodes x width^2).
#pragma once

#include <vector>

#include "mcns/encoders/input_layer.h"
#include "mcns/encoders/receptive_field.h"

namespace mcns {

enum class WeightStart {
  kGlorot,  ///< uniform, variance 2 / (rows + columns)
  kLinear,  ///< mirrored pairs around each ReLU, so that the first network is linear
};

struct ConvOptions {
  Weighting weighting = Weighting::kSelfLoops;
  bool self_weights = false;    ///< GraphSAGE's W_self and concatenation
  std::vector<int> fanouts;     ///< a layer each, from the inputs on
  int input = 64, hidden = 64;  ///< widths; the last layer's is the model's dimension
  float length = 0;             ///< that outputs are scaled to; 0: they are not
  bool residual = false;        ///< all widths are equal then
  WeightStart start = WeightStart::kGlorot;
};

class ConvStack final : public Encoder {
 public:
  ConvStack(const EncoderContext& context, const ConvOptions& options);

  ConstMatrixRef node_table() const override { return table_.view(); }
  void refresh() override;
  void forward(BatchKey key, std::span<const NodeId> nodes, MatrixRef out) override;
  void backward(ConstMatrixRef gradients) override;
  void update(const Optimizer& optimizer, Tick tick) override;
  void visit_parameters(const VisitParameter& visit) override;
  void visit_gradients(const VisitGradient& visit) const override;
  void visit_state(Archive& archive) override;

 private:
  struct Layer {
    Parameter weights, self_weights;  ///< the second is empty without self weights
    Matrix transposed, self_transposed;
    int width, self_width;  ///< columns of the output, and those from W_self
    bool relu;
    RowBuffer aggregated, output, gradient, aggregated_gradient;
    RowBuffer activated;  ///< the output before a residual was added; else unused
  };

  template <class Aggregate>
  void forward_tile(Layer& layer, ConstMatrixRef below, MatrixRef aggregated, MatrixRef out,
                    const Aggregate& aggregate);
  void add_residual(ConstMatrixRef below, MatrixRef out, MatrixRef activated) const;
  void backward_rows(Layer& layer, ConstMatrixRef output, MatrixRef gradient,
                     MatrixRef aggregated_gradient, MatrixRef below);
  void weight_gradients(Layer& layer, ConstMatrixRef below, ConstMatrixRef aggregated,
                        ConstMatrixRef gradient);
  void first_weights(Parameter& weights, int index, bool after_relu, bool before_relu,
                     std::uint64_t seed, WeightStart start);
  void scale_rows(MatrixRef rows, float* lengths);
  template <class Visit>
  void each_parameter(const Visit& visit);

  Adjacency adjacency_;
  ThreadPool& pool_;
  float length_;
  bool residual_;
  ReceptiveField field_;
  InputLayer input_;
  std::vector<Layer> layers_;
  Matrix table_;
  bool exact_ = false;    ///< the table is of the current parameters
  ConstMatrixRef first_;  ///< input vectors of the last forward
  std::vector<float> lengths_;
};

}  // namespace mcns

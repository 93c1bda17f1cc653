#include "mcns/encoders/conv_stack.h"

#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/rng.h"
#include "mcns/encoders/dense.h"

namespace mcns {
namespace {

constexpr std::int64_t kTile = 96;         // rows of a product
constexpr std::int64_t kWeightRows = 48;   // rows of a weight gradient that one piece sums
constexpr float kSmallestLength = 1e-12F;  // a zero vector stays zero

void clamp_negatives(MatrixRef rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (float& x : rows[i]) x = std::max(x, 0.0F);
}

void mask(MatrixRef gradient, ConstMatrixRef output) {
  for (std::int64_t i = 0; i < gradient.rows; ++i) {
    float* g = gradient.row(i);
    const float* h = output.row(i);
    for (int j = 0; j < gradient.dim; ++j) g[j] = h[j] > 0 ? g[j] : 0.0F;
  }
}

}  // namespace

ConvStack::ConvStack(const EncoderContext& context, const ConvOptions& options)
    : adjacency_(context.graph, options.weighting, context.pool),
      pool_(context.pool),
      length_(options.length),
      residual_(options.residual),
      field_(adjacency_, options.fanouts),
      input_(context, options.input),
      table_(context.graph.num_nodes(), context.dim) {
  const int count = static_cast<int>(options.fanouts.size());
  const std::int64_t nodes = context.graph.num_nodes();
  int below = options.input;
  for (int l = 1; l <= count; ++l) {
    const bool last = l == count;
    const int width = last ? context.dim : options.hidden;
    const int self_width = options.self_weights ? width / 2 : 0;
    require(!options.self_weights || width >= 2, "graphsage needs at least 2 dimensions, got {}",
            width);
    Layer layer{Parameter(fmt::format("layer{}.weights", l), below, width - self_width,
                          context.optimizer_slots),
                Parameter(fmt::format("layer{}.self_weights", l), self_width > 0 ? below : 0,
                          self_width, context.optimizer_slots),
                Matrix(width - self_width, below),
                Matrix(self_width, below),
                width,
                self_width,
                !last,
                RowBuffer(below, nodes),
                RowBuffer(width, nodes),
                RowBuffer(width, nodes),
                RowBuffer(below, nodes),
                RowBuffer(width, nodes)};
    first_weights(layer.weights, 2 * l, l > 1, !last, context.seed, options.start);
    first_weights(layer.self_weights, 2 * l + 1, l > 1, !last, context.seed, options.start);
    layers_.push_back(std::move(layer));
    below = width;
  }
}

/// `kLinear`: a column and its negative in turn where a ReLU follows, a row and its negative where
/// one came before, since relu(x) - relu(-x) = x ("looks-linear", Balduzzi et al. 2017).
void ConvStack::first_weights(Parameter& weights, int index, bool after_relu, bool before_relu,
                              std::uint64_t seed, WeightStart start) {
  const std::int64_t rows = weights.value.rows();
  const int columns = weights.value.dim();
  const Streams streams(seed, Domain::kWeights, static_cast<std::uint64_t>(index));
  const bool linear = start == WeightStart::kLinear;
  const std::int64_t distinct_rows = linear && after_relu ? (rows + 1) / 2 : rows;
  const double deviation = std::sqrt(1.0 / static_cast<double>(distinct_rows));
  const double range = std::sqrt(6.0 / static_cast<double>(rows + columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    const bool row_mirrored = linear && after_relu;
    Rng rng = streams.at(static_cast<std::uint64_t>(row_mirrored ? i / 2 : i));
    const double row_sign = row_mirrored && i % 2 == 1 ? -1.0 : 1.0;
    float* out = weights.value.row(i);
    for (int j = 0; j < columns; ++j) {
      if (linear && before_relu && j % 2 == 1)
        out[j] = -out[j - 1];
      else
        out[j] = static_cast<float>(linear ? row_sign * deviation * rng.normal()
                                           : range * (2 * rng.uniform() - 1));
    }
  }
}

/// Rows of one tile. `below` starts with the tile's own rows.
template <class Aggregate>
void ConvStack::forward_tile(Layer& layer, ConstMatrixRef below, MatrixRef aggregated,
                             MatrixRef out, const Aggregate& aggregate) {
  for (std::int64_t i = 0; i < out.rows; ++i) {
    std::fill_n(aggregated.row(i), aggregated.stride, 0.0F);
    aggregate(i, aggregated.row(i));
  }
  if (layer.self_width > 0)
    multiply(columns_of(out, 0, layer.self_width), rows_of(below, 0, out.rows),
             layer.self_weights.value.view());
  multiply(columns_of(out, layer.self_width, layer.width - layer.self_width), aggregated,
           layer.weights.value.view());
  if (layer.relu) clamp_negatives(out);
}

/// `activated`, where it has rows, keeps what the ReLU gave.
void ConvStack::add_residual(ConstMatrixRef below, MatrixRef out, MatrixRef activated) const {
  for (std::int64_t i = 0; i < out.rows; ++i) {
    if (activated.rows > 0) std::copy_n(out.row(i), out.stride, activated.row(i));
    kernels().axpy(out.row(i), 1.0F, below.row(i), out.stride);
  }
}

void ConvStack::forward(BatchKey key, std::span<const NodeId> nodes, MatrixRef out) {
  exact_ = false;  // drawn neighbours make other vectors than all of them
  field_.build(key, nodes, pool_);
  first_ = input_.forward(field_.nodes(0));
  ConstMatrixRef below = first_;
  for (int l = 1; l <= field_.layers(); ++l) {
    Layer& layer = layers_[l - 1];
    const Block& block = field_.block(l);
    const MatrixRef aggregated = layer.aggregated.rows(block.outputs);
    const MatrixRef result = l == field_.layers() ? out : layer.output.rows(block.outputs);
    const bool keeps = residual_ && layer.relu;
    const MatrixRef activated = keeps ? layer.activated.rows(block.outputs) : MatrixRef{};
    pool_.for_ranges(block.outputs, kTile, [&](std::int64_t begin, std::int64_t end) {
      forward_tile(layer, rows_of(below, begin, end), rows_of(aggregated, begin, end),
                   rows_of(result, begin, end),
                   [&](std::int64_t i, float* sum) { block.aggregate(begin + i, below, sum); });
      if (residual_)
        add_residual(rows_of(below, begin, end), rows_of(result, begin, end),
                     keeps ? rows_of(activated, begin, end) : activated);
    });
    below = result;
  }
  lengths_.resize(nodes.size());
  pool_.for_ranges(out.rows, kTile, [&](std::int64_t begin, std::int64_t end) {
    if (length_ > 0) scale_rows(rows_of(out, begin, end), lengths_.data() + begin);
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(out.row(i), out.stride, table_.row(nodes[i]));
  });
  if (length_ > 0) {
    const MatrixRef kept = layers_.back().output.rows(out.rows);
    pool_.for_ranges(out.rows, kTile, [&](std::int64_t begin, std::int64_t end) {
      std::copy_n(out.row(begin), (end - begin) * out.stride, kept.row(begin));
    });
  }
}

/// `lengths`, where there are any, get those from before.
void ConvStack::scale_rows(MatrixRef rows, float* lengths) {
  const Kernels& k = kernels();
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const float length = std::sqrt(k.dot(rows.row(i), rows.row(i), rows.stride));
    if (lengths != nullptr) lengths[i] = length;
    if (length <= kSmallestLength) continue;
    for (float& x : rows[i]) x *= length_ / length;
  }
}

void ConvStack::backward(ConstMatrixRef gradients) {
  MatrixRef gradient = layers_.back().gradient.rows(gradients.rows);
  const ConstMatrixRef scaled = layers_.back().output.view(gradients.rows);
  pool_.for_ranges(gradients.rows, kTile, [&](std::int64_t begin, std::int64_t end) {
    const Kernels& k = kernels();
    std::copy_n(gradients.row(begin), (end - begin) * gradient.stride, gradient.row(begin));
    if (length_ == 0) return;
    for (std::int64_t i = begin; i < end; ++i) {
      if (lengths_[i] <= kSmallestLength) continue;
      const float along =
          k.dot(scaled.row(i), gradient.row(i), gradient.stride) / (length_ * length_);
      k.axpy(gradient.row(i), -along, scaled.row(i), gradient.stride);
      for (float& g : gradient[i]) g *= length_ / lengths_[i];
    }
  });
  for (int l = field_.layers(); l >= 1; --l) {
    Layer& layer = layers_[l - 1];
    Block& block = field_.block(l);
    const RowBuffer& activated = residual_ ? layer.activated : layer.output;
    const ConstMatrixRef output =
        layer.relu ? ConstMatrixRef(activated.view(block.outputs)) : gradient;
    const MatrixRef aggregated_gradient = layer.aggregated_gradient.rows(block.outputs);
    const MatrixRef below =
        l == 1 ? input_.gradients(block.inputs) : layers_[l - 2].gradient.rows(block.inputs);
    transpose(layer.transposed.view(), layer.weights.value.view());
    if (layer.self_width > 0)
      transpose(layer.self_transposed.view(), layer.self_weights.value.view());
    pool_.for_ranges(block.outputs, kTile, [&](std::int64_t begin, std::int64_t end) {
      backward_rows(layer, rows_of(output, begin, end), rows_of(gradient, begin, end),
                    rows_of(aggregated_gradient, begin, end), rows_of(below, begin, end));
    });
    const ConstMatrixRef inputs = l == 1 ? first_ : layers_[l - 2].output.view(block.inputs);
    weight_gradients(layer, rows_of(inputs, 0, block.outputs), layer.aggregated.view(block.outputs),
                     gradient);
    const std::int64_t own = layer.self_width > 0 || residual_ ? block.outputs : 0;
    block.give_back(aggregated_gradient, below, own, pool_);
    gradient = below;
  }
  input_.backward();
}

/// Through f and the products, rows of one tile; `below` gets what comes through W_self, or round
/// the layer.
void ConvStack::backward_rows(Layer& layer, ConstMatrixRef output, MatrixRef gradient,
                              MatrixRef aggregated_gradient, MatrixRef below) {
  const MatrixRef round = aggregated_gradient;  // waits here: a residual's widths are all the same
  if (residual_) std::copy_n(gradient.row(0), gradient.rows * gradient.stride, round.row(0));
  if (layer.relu) mask(gradient, output);
  if (layer.self_width > 0)
    multiply(below, columns_of(ConstMatrixRef(gradient), 0, layer.self_width),
             layer.self_transposed.view());
  else if (residual_)
    std::fill_n(below.row(0), gradient.rows * below.stride, 0.0F);
  if (residual_)
    for (std::int64_t i = 0; i < gradient.rows; ++i)
      kernels().axpy(below.row(i), 1.0F, round.row(i), round.stride);
  multiply(aggregated_gradient,
           columns_of(ConstMatrixRef(gradient), layer.self_width, layer.width - layer.self_width),
           layer.transposed.view());
}

void ConvStack::weight_gradients(Layer& layer, ConstMatrixRef below, ConstMatrixRef aggregated,
                                 ConstMatrixRef gradient) {
  const std::int64_t rows = layer.weights.value.rows();
  const std::int64_t pieces = (rows + kWeightRows - 1) / kWeightRows;
  const MatrixRef own = layer.weights.gradient.rows(rows);
  const MatrixRef self = layer.self_weights.gradient.rows(layer.self_weights.value.rows());
  pool_.run(pieces * (layer.self_width > 0 ? 2 : 1), [&](std::int64_t piece) {
    const bool is_self = piece >= pieces;
    const std::int64_t begin = (is_self ? piece - pieces : piece) * kWeightRows;
    const std::int64_t end = std::min(rows, begin + kWeightRows);
    const int first = is_self ? 0 : layer.self_width;
    const int width = is_self ? layer.self_width : layer.width - layer.self_width;
    multiply_transposed(rows_of(is_self ? self : own, begin, end),
                        columns_of(is_self ? below : aggregated, static_cast<int>(begin),
                                   static_cast<int>(end - begin)),
                        columns_of(gradient, first, width));
  });
}

void ConvStack::refresh() {
  if (exact_) return;
  ConstMatrixRef below = input_.all();
  const std::int64_t nodes = table_.rows();
  Matrix hidden[2];
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    Layer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    if (!last) hidden[l % 2] = Matrix(nodes, layer.width);
    const MatrixRef out = last ? table_.view() : hidden[l % 2].view();
    pool_.for_ranges(nodes, kTile, [&](std::int64_t begin, std::int64_t end) {
      Matrix aggregated(end - begin, below.dim);
      forward_tile(layer, rows_of(below, begin, end), aggregated.view(), rows_of(out, begin, end),
                   [&](std::int64_t i, float* sum) {
                     adjacency_.aggregate(static_cast<NodeId>(begin + i), below, sum);
                   });
      if (residual_) add_residual(rows_of(below, begin, end), rows_of(out, begin, end), {});
      if (last && length_ > 0) scale_rows(rows_of(out, begin, end), nullptr);
    });
    below = out;
  }
  exact_ = true;
}

template <class Visit>
void ConvStack::each_parameter(const Visit& visit) {
  visit(input_.parameter());
  for (Layer& layer : layers_) {
    visit(layer.weights);
    if (layer.self_width > 0) visit(layer.self_weights);
  }
}

void ConvStack::update(const Optimizer& optimizer, Tick tick) {
  each_parameter([&](Parameter& p) { p.update(optimizer, tick, pool_); });
  exact_ = false;
}

void ConvStack::visit_parameters(const VisitParameter& visit) {
  each_parameter([&](Parameter& p) { visit(p.name, p.value); });
  exact_ = false;
}

void ConvStack::visit_gradients(const VisitGradient& visit) const {
  input_.parameter().visit_gradient(visit);
  for (const Layer& layer : layers_) {
    layer.weights.visit_gradient(visit);
    if (layer.self_width > 0) layer.self_weights.visit_gradient(visit);
  }
}

void ConvStack::visit_state(Archive& archive) {
  each_parameter([&](Parameter& p) { p.visit_state(archive); });
  archive("table", table_);
  archive("table.exact", exact_);
}

}  // namespace mcns

#include "mcns/encoders/memory.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/error.h"
#include "mcns/core/kernels.h"
#include "mcns/encoders/conv_options.h"
#include "mcns/encoders/parameter.h"

namespace mcns {
namespace {

std::uint64_t matrix_bytes(std::int64_t rows, int dim) {
  return static_cast<std::uint64_t>(rows) * padded(dim) * sizeof(float);
}

std::uint64_t arc_bytes(const Graph& graph) {
  const std::uint64_t arcs = graph.num_arcs() * (graph.is_directed() ? 2 : 1);
  const std::uint64_t copy = graph.is_directed() ? 2 * graph.bytes() : 0;
  return arcs * sizeof(float) + graph.num_nodes() * sizeof(float) + copy;
}

/// Distinct ones among `draws` nodes, on average at most: as many as if all were equally likely.
std::int64_t distinct(std::int64_t nodes, std::int64_t draws) {
  const auto n = static_cast<double>(nodes);
  return static_cast<std::int64_t>(n * -std::expm1(-static_cast<double>(draws) / n)) + 1;
}

/// Of a RowBuffer that was asked for `rows` of at most `nodes`.
std::uint64_t buffer_bytes(std::int64_t nodes, std::int64_t rows, int dim) {
  return matrix_bytes(std::min(nodes, rows + rows / RowBuffer::kSlack), dim);
}

/// Arcs that all nodes together draw at most.
std::int64_t all_draws(const Graph& graph, std::int64_t fanout) {
  if (graph.is_directed() || fanout == 0) return graph.num_arcs() * (graph.is_directed() ? 2 : 1);
  std::int64_t sum = 0;
  for (NodeId v = 0; v < graph.num_nodes(); ++v) sum += std::min<EdgeId>(graph.degree(v), fanout);
  return sum;
}

EncoderBytes convolution_bytes(const ConvOptions& o, const Graph& graph, int dim,
                               std::int64_t batch_nodes) {
  constexpr std::uint64_t kEntry = sizeof(NodeId) + sizeof(float) + sizeof(Arc);  // both ways
  const std::int64_t nodes = graph.num_nodes();
  const auto layers = static_cast<int>(o.fanouts.size());
  const auto buffer = [&](std::int64_t rows, int width) {
    return buffer_bytes(nodes, rows, width);
  };
  EncoderBytes out{matrix_bytes(nodes, o.input), matrix_bytes(nodes, dim), arc_bytes(graph), 0};
  std::int64_t level = batch_nodes;
  for (int l = layers; l >= 1; --l) {
    const bool last = l == layers;
    const int width = last ? dim : o.hidden, below = l == 1 ? o.input : o.hidden;
    out.parameters += 2 * matrix_bytes(below, width);
    const int fanout = o.fanouts[l - 1];
    const std::int64_t most = all_draws(graph, fanout);
    const std::int64_t entries = level + (fanout == 0 ? most : std::min(most, level * fanout));
    // Gradients, what ReLU or the length asks for, and what was there before a residual.
    const int outputs = (last && o.length == 0 ? 1 : 2) + (o.residual && !last ? 1 : 0);
    out.batch += outputs * buffer(level, width) + 2 * buffer(level, below) + entries * kEntry +
                 level * sizeof(EdgeId);
    level = distinct(nodes, level + entries);
    if (!last) out.tables += matrix_bytes(nodes, o.hidden);
  }
  out.batch += 2 * buffer(level, o.input) + nodes * sizeof(std::int32_t);
  return out;
}

}  // namespace

EncoderBytes encoder_bytes(const std::string& text, const Graph& graph, int dim,
                           std::int64_t batch_draws) {
  Spec spec = Spec::parse(text);
  const std::int64_t batch_nodes = distinct(graph.num_nodes(), batch_draws);
  // The pairs are scored on copies of their nodes' vectors, which have gradients.
  const std::uint64_t vectors = 2 * buffer_bytes(graph.num_nodes(), batch_nodes, dim);
  const auto convolution = [&](const ConvOptions& options) {
    EncoderBytes out = convolution_bytes(options, graph, dim, batch_nodes);
    out.batch += vectors;
    return out;
  };
  if (spec.name() == "gcn") return convolution(read_gcn(spec, dim, graph.num_arcs()));
  if (spec.name() == "graphsage") return convolution(read_graphsage(spec, dim));
  require(spec.name() == "lightgcn", "no memory statement for encoder '{}'", spec.name());
  const std::uint64_t table = matrix_bytes(graph.num_nodes(), dim);
  return {table, 2 * table, arc_bytes(graph), 2 * table + vectors};
}

}  // namespace mcns

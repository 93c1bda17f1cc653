#include "mcns/encoders/memory.h"

#include <algorithm>
#include <cmath>

#include "mcns/core/kernels.h"
#include "mcns/encoders/parameter.h"

namespace mcns {
namespace {

std::uint64_t matrix_bytes(std::int64_t rows, int dim) {
  return static_cast<std::uint64_t>(rows) * padded(dim) * sizeof(float);
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

}  // namespace

std::uint64_t node_matrix_bytes(const Graph& graph, int dim) {
  return matrix_bytes(graph.num_nodes(), dim);
}

std::uint64_t arc_bytes(const Graph& graph) {
  const std::uint64_t arcs = graph.num_arcs() * (graph.is_directed() ? 2 : 1);
  const std::uint64_t copy = graph.is_directed() ? 2 * graph.bytes() : 0;
  return arcs * sizeof(float) + graph.num_nodes() * sizeof(float) + copy;
}

std::uint64_t batch_vector_bytes(const EncoderSizes& sizes) {
  const std::int64_t nodes = sizes.graph.num_nodes();
  return 2 * buffer_bytes(nodes, distinct(nodes, sizes.batch_draws), sizes.dim);
}

EncoderBytes convolution_bytes(const ConvOptions& o, const EncoderSizes& sizes) {
  const Graph& graph = sizes.graph;
  const int dim = sizes.dim;
  constexpr std::uint64_t kEntry = sizeof(NodeId) + sizeof(float) + sizeof(Arc);  // both ways
  const std::int64_t nodes = graph.num_nodes();
  const auto layers = static_cast<int>(o.fanouts.size());
  const auto buffer = [&](std::int64_t rows, int width) {
    return buffer_bytes(nodes, rows, width);
  };
  EncoderBytes out{matrix_bytes(nodes, o.input), matrix_bytes(nodes, dim), arc_bytes(graph), 0};
  std::int64_t level = distinct(nodes, sizes.batch_draws);
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
  out.batch += batch_vector_bytes(sizes);
  return out;
}

}  // namespace mcns

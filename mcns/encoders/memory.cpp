#include "mcns/encoders/memory.h"

#include <algorithm>

#include "mcns/core/error.h"
#include "mcns/encoders/conv_options.h"

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

EncoderBytes convolution_bytes(const ConvOptions& o, const Graph& graph, int dim,
                               std::int64_t batch_nodes) {
  constexpr std::uint64_t kEntry = 2 * (sizeof(NodeId) + sizeof(float));  // both ways
  const std::int64_t nodes = graph.num_nodes();
  const auto layers = static_cast<int>(o.fanouts.size());
  EncoderBytes out{matrix_bytes(nodes, o.input), matrix_bytes(nodes, dim), arc_bytes(graph), 0};
  std::int64_t level = std::min(nodes, batch_nodes);
  for (int l = layers; l >= 1; --l) {
    const int width = l == layers ? dim : o.hidden, below = l == 1 ? o.input : o.hidden;
    out.parameters += 2 * matrix_bytes(below, width);
    const std::int64_t most = o.fanouts[l - 1] == 0 ? graph.num_arcs() : level * o.fanouts[l - 1];
    const std::int64_t entries = std::min<std::int64_t>(graph.num_arcs(), most) + level;
    out.batch += 2 * matrix_bytes(level, width) + 2 * matrix_bytes(level, below) + entries * kEntry;
    level = std::min(nodes, level + entries);
    if (l < layers) out.tables += matrix_bytes(nodes, o.hidden);
  }
  out.batch += 2 * matrix_bytes(level, o.input) + nodes * sizeof(std::int32_t);
  out.batch += out.batch / 4;  // buffers grow by a quarter
  return out;
}

}  // namespace

EncoderBytes encoder_bytes(const std::string& text, const Graph& graph, int dim,
                           std::int64_t batch_nodes) {
  Spec spec = Spec::parse(text);
  if (spec.name() == "gcn")
    return convolution_bytes(read_gcn(spec, dim, graph.num_arcs()), graph, dim, batch_nodes);
  if (spec.name() == "graphsage")
    return convolution_bytes(read_graphsage(spec, dim), graph, dim, batch_nodes);
  require(spec.name() == "lightgcn", "no memory statement for encoder '{}'", spec.name());
  const std::uint64_t table = matrix_bytes(graph.num_nodes(), dim);
  return {table, 2 * table, arc_bytes(graph), 2 * table};
}

}  // namespace mcns

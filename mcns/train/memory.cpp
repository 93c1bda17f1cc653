#include "mcns/train/memory.h"

#include "mcns/core/error.h"
#include "mcns/core/matrix.h"
#include "mcns/encoders/encoder.h"
#include "mcns/encoders/memory.h"
#include "mcns/optim/optimizers.h"

namespace mcns {

namespace {

/// Tables, optimizer, best epoch: what differs by encoder.
std::vector<MemoryPart> network_parts(const Graph& graph, const MemoryRequest& request, int slots) {
  const std::int64_t batch_nodes = std::int64_t{request.batch} * (request.negatives + 2);
  const EncoderBytes bytes = encoder_bytes(request.encoder, graph, request.dim, batch_nodes);
  return {
      {"parameters", "input vectors and weights", bytes.parameters},
      {"optimizer", fmt::format("{}: {} x parameters", request.optimizer, slots),
       slots * bytes.parameters},
      {"best epoch", "a copy of the parameters", bytes.parameters},
      {"tables", "current vectors, and layers below", bytes.tables},
      {"coefficients", "4 B an arc and a node", bytes.coefficients},
      {"batch", fmt::format("at most, of {} nodes and their neighbourhoods", batch_nodes),
       bytes.batch},
  };
}

}  // namespace

std::vector<MemoryPart> estimate_memory(const Graph& graph, const Names& names,
                                        const MemoryRequest& request) {
  require(request.dim >= 1 && request.dim <= 1 << 16, "dim must be in 1..65536, got {}",
          request.dim);
  require(request.tables == 1 || request.tables == 2, "tables must be 1 or 2, got {}",
          request.tables);
  const int slots = slots_of(make_optimizer(request.optimizer));
  const auto nodes = static_cast<std::uint64_t>(graph.num_nodes());
  const auto arcs = static_cast<std::uint64_t>(graph.num_arcs());
  const auto sources = static_cast<std::uint64_t>(graph.sources().size());
  const auto targets = static_cast<std::uint64_t>(graph.targets().size());
  const auto source_arcs = graph.is_bipartite() ? arcs / 2 : arcs;
  const auto stride = static_cast<std::uint64_t>(padded(request.dim));
  const std::uint64_t tables = request.tables * nodes * stride * sizeof(float);
  const auto shape = fmt::format("{} x {} rows x {} floats", request.tables, nodes, stride);
  constexpr std::uint64_t kAliasColumn = 8, kGuide = 4, kSketch = 12, kSketchArc = 3;
  std::vector<MemoryPart> parts = {
      {"graph",
       fmt::format("{} offsets, {} arcs{}", nodes + 1, arcs,
                   graph.is_weighted() ? " with weights" : ""),
       graph.bytes()},
      {"names", fmt::format("{} names", nodes), names.bytes()},
      {"positives", graph.is_weighted() ? "4 B a node, 8 B an arc" : "4 B a node",
       nodes * kGuide + (graph.is_weighted() ? source_arcs * kAliasColumn : 0)},
      {"negatives", "sketches (12 B a source, 3 B an arc), alias table (8 B a target)",
       sources * kSketch + source_arcs * kSketchArc + targets * kAliasColumn},
  };
  const std::vector<MemoryPart> model =
      is_lookup(request.encoder)
          ? std::vector<MemoryPart>{{"tables", shape, tables},
                                    {"optimizer",
                                     fmt::format("{}: {} x tables", request.optimizer, slots),
                                     slots * tables},
                                    {"best epoch", "a copy of the tables", tables}}
          : network_parts(graph, request, slots);
  parts.insert(parts.begin() + 2, model.begin(), model.end());
  return parts;
}

std::uint64_t total_bytes(const std::vector<MemoryPart>& parts) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.bytes;
  return total;
}

}  // namespace mcns

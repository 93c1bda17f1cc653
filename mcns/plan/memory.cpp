#include "mcns/plan/memory.h"

#include <algorithm>

#include "mcns/core/graph_stats.h"
#include "mcns/core/matrix.h"

namespace mcns {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20, kInt = 4, kAliasColumn = 8;

/// Code that a run touches and `mcns info` does not, and the heap of the first thread.
constexpr std::uint64_t kMoreProgram = 3 * kMegabyte;
/// Stack and heap of each further thread.
constexpr std::uint64_t kThread = kMegabyte;

/// What the formulas are made of.
struct Sizes {
  Sizes(const Graph& graph, const TrainOptions& options)
      : nodes(graph.num_nodes()),
        arcs(graph.num_arcs()),
        sources(graph.sources().size()),
        source_arcs(graph.is_bipartite() ? arcs / 2 : arcs),
        width(options.negatives->shared ? 2 : options.negatives->count + 1),
        pool(options.negatives->shared ? options.negatives->count : 0),
        batch(*options.batch),
        row(padded(*options.dim) * sizeof(float)) {}
  std::uint64_t nodes, arcs, sources, source_arcs;
  std::uint64_t width;  ///< targets of a pair
  std::uint64_t pool;   ///< targets that a batch shares
  std::uint64_t batch;  ///< pairs
  std::uint64_t row;    ///< bytes of a vector
};

Facts facts_of(const Graph& graph, const TrainOptions& options) {
  Facts facts = graph_facts(graph);
  facts["dim"] = std::to_string(*options.dim);
  return facts;
}

MemoryPart positives_part(const Graph& graph, const Plan& plan, const Sizes& s) {
  const PositiveEntry& entry = plan.components->positives.find(*plan.options.positives);
  const EdgeId alias = graph.is_weighted() && entry.weighted_arcs ? entry.weighted_arcs(graph) : 0;
  return {"positives", alias > 0 ? "4 B a node, 8 B an arc" : "4 B a node",
          s.nodes * kInt + static_cast<std::uint64_t>(alias) * kAliasColumn};
}

MemoryPart sampler_part(const Graph& graph, const Plan& plan, int threads, const Sizes& s) {
  const TrainOptions& o = plan.options;
  const SamplerRegistry& registry = plan.components->samplers;
  const SamplerEntry& entry = registry.find(*o.sampler);
  if (!entry.bytes) return {"sampler", "no tables", 0};
  const MemoryNote note =
      entry.bytes(registry.parameters(*o.sampler, facts_of(graph, o)),
                  {graph, *o.dim, s.batch, o.negatives->count, threads, registry});
  return {"sampler", note.how, note.bytes};
}

/// Rows of gradients that a batch has at most: those of its sources, or of what windows share, with
/// room to grow.
std::uint64_t gradient_rows(const Graph& graph, const Plan& plan, const Sizes& s) {
  const TrainOptions& o = plan.options;
  const PositiveEntry& entry = plan.components->positives.find(*o.positives);
  if (!entry.window || !plan.components->samplers.find(*o.sampler).shares) return s.batch;
  const auto window = static_cast<std::uint64_t>(
      entry.window(plan.components->positives.parameters(*o.positives, facts_of(graph, o))));
  return window == 0 ? s.batch : std::max(s.batch, 5 * s.batch * s.width / (8 * window));
}

/// The encoder's parameters with their state and copies, and what a batch of pairs works with.
std::vector<MemoryPart> model_parts(const Graph& graph, const Plan& plan, const Sizes& s) {
  const TrainOptions& o = plan.options;
  const EncoderRegistry& registry = plan.components->encoders;
  const auto draws = static_cast<std::int64_t>(s.batch * (s.width + 1) + s.pool);
  const EncoderEntry& encoder = plan.encoder();
  const EncoderBytes bytes =
      encoder.bytes ? encoder.bytes(registry.parameters(*o.encoder, facts_of(graph, o)),
                                    {graph, *o.dim, *o.tables, draws})
                    : EncoderBytes{};
  const int slots = slots_of(plan.components->optimizers.find(*o.optimizer).optimizer);
  const std::uint64_t rows = s.nodes * *o.tables;
  // Marks for grouping pairs by row; their names, negatives and scores; gradients of the sources.
  const std::uint64_t marks = (s.nodes + (*o.update == "async" ? rows : 2 * rows)) * kInt;
  const std::uint64_t pairs = s.batch * (s.width * 24 + 64) + gradient_rows(graph, plan, s) * s.row;
  std::vector<MemoryPart> parts = {
      {"parameters",
       fmt::format("{}, {} x {} floats a node", encoder.name, *o.tables, s.row / sizeof(float)),
       bytes.parameters},
      {"optimizer", fmt::format("{}: {} x parameters", *o.optimizer, slots),
       slots * bytes.parameters}};
  if (*o.similarity != "dot" || *o.temperature != 1)
    parts.push_back({"scaled vectors", "the tables once more, and those of a batch",
                     rows * s.row + std::min<std::uint64_t>(rows, draws) * s.row});
  if (s.pool > 0)
    parts.push_back(
        {"pool", fmt::format("{} targets: vectors, gradients, scores", s.pool),
         s.pool * (12 * s.row + 8 * 96 * kInt) + 2 * std::min<std::uint64_t>(rows, draws) * s.row});
  if (bytes.tables > 0)
    parts.push_back({"tables", "current vectors, and layers below", bytes.tables});
  if (bytes.coefficients > 0)
    parts.push_back({"coefficients", "4 B an arc and a node", bytes.coefficients});
  if (plan.task && *plan.task != Task::kClassify)
    parts.push_back({"best epoch", "a copy of the parameters", bytes.parameters});
  parts.push_back(
      {"batch",
       fmt::format("{} pairs with {} negatives, marks of {} rows", s.batch, s.width - 1, rows),
       bytes.batch + marks + pairs});
  return parts;
}

/// What scoring the task takes beside the model.
MemoryPart evaluation_part(Task task, const TrainOptions& options, const Sizes& s) {
  if (task == Task::kClassify)
    return {"evaluation", "labelled vectors, 16 B a number for the regression, 4 B beside",
            s.nodes * (*options.dim + 1) * 20};
  return {"evaluation", "pairs as read, held-out ones, what is known of sources: 20 B an edge",
          s.source_arcs * 20};
}

}  // namespace

std::vector<MemoryPart> estimate_memory(const Graph& graph, const Names& names, const Plan& plan,
                                        const MemoryRequest& request) {
  const Sizes s(graph, plan.options);
  std::vector<MemoryPart> parts = {
      {"program", fmt::format("code and libraries, {} threads", request.threads),
       request.program + kMoreProgram + (request.threads - 1) * kThread},
      {"graph",
       fmt::format("{} offsets, {} arcs{}", s.nodes + 1, s.arcs,
                   graph.is_weighted() ? " with weights" : ""),
       graph.bytes()},
      {"names", fmt::format("{} names", s.nodes), names.bytes()},
      positives_part(graph, plan, s),
  };
  constexpr std::uint64_t kSketch = 12, kSketchArc = 4;
  if (*plan.options.filter == "train")
    parts.push_back({"exclusion", "12 B a source, 4 B an arc",
                     s.sources * kSketch + s.source_arcs * kSketchArc});
  parts.push_back(sampler_part(graph, plan, request.threads, s));
  const auto model = model_parts(graph, plan, s);
  parts.insert(parts.end(), model.begin(), model.end());
  if (plan.task) parts.push_back(evaluation_part(*plan.task, plan.options, s));
  const std::uint64_t total = total_bytes(parts);
  if (request.peak_so_far > total)
    parts.push_back(
        {"reading", "what reading the graph takes beyond the above", request.peak_so_far - total});
  return parts;
}

void require_memory(const std::vector<MemoryPart>& parts, std::uint64_t most) {
  const std::uint64_t total = total_bytes(parts);
  if (total <= most) return;
  const auto& largest = *std::ranges::max_element(parts, {}, &MemoryPart::bytes);
  const auto mebibytes = [](std::uint64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; };
  throw_error(ErrorKind::kRuntime,
              "the run needs about {} MiB of memory, {} MiB of it for {} ({}), and there are {}; "
              "`mcns info` lists all parts, --memory SIZE allows more",
              mebibytes(total), mebibytes(largest.bytes), largest.what, largest.how, most >> 20);
}

std::uint64_t total_bytes(const std::vector<MemoryPart>& parts) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.bytes;
  return total;
}

}  // namespace mcns

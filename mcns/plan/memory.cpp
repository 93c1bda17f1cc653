#include "mcns/plan/memory.h"

#include <algorithm>

#include "mcns/core/component.h"
#include "mcns/core/error.h"
#include "mcns/core/matrix.h"
#include "mcns/core/spec.h"
#include "mcns/encoders/encoder.h"
#include "mcns/encoders/memory.h"
#include "mcns/losses/losses.h"
#include "mcns/optim/optimizers.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/irgan.h"
#include "mcns/samplers/pinsage_pagerank.h"
#include "mcns/samplers/proposals.h"
#include "mcns/samplers/registry.h"

namespace mcns {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20, kInt = 4, kAliasColumn = 8;

/// Code that a run touches and `mcns info` does not, and the heap of the first thread.
constexpr std::uint64_t kMoreProgram = 3 * kMegabyte;
/// Stack and heap of each further thread.
constexpr std::uint64_t kThread = kMegabyte;

/// A run would refuse it too.
void require_known(const char* what, const std::string& text,
                   const std::vector<ComponentInfo>& known) {
  std::vector<std::string> names;
  for (const ComponentInfo& info : known) names.push_back(info.name);
  const std::string name = Spec::parse(text).name();
  if (std::find(names.begin(), names.end(), name) == names.end()) throw_unknown(what, name, names);
}

/// What the formulas are made of.
struct Sizes {
  Sizes(const Graph& graph, const TrainOptions& options)
      : nodes(graph.num_nodes()),
        arcs(graph.num_arcs()),
        sources(graph.sources().size()),
        targets(graph.targets().size()),
        source_arcs(graph.is_bipartite() ? arcs / 2 : arcs),
        width(*options.negatives + 1),
        batch(*options.batch),
        row(padded(*options.dim) * sizeof(float)) {}
  std::uint64_t nodes, arcs, sources, targets, source_arcs;
  std::uint64_t width;  ///< targets of a pair
  std::uint64_t batch;  ///< pairs
  std::uint64_t row;    ///< bytes of a vector
};

MemoryPart positives_part(const Graph& graph, const TrainOptions& options, const Sizes& s) {
  const bool edges = Spec::parse(*options.positives).name() == "edges";
  const std::uint64_t alias = graph.is_weighted() ? (edges ? s.source_arcs : s.arcs) : 0;
  return {"positives", graph.is_weighted() ? "4 B a node, 8 B an arc" : "4 B a node",
          s.nodes * kInt + alias * kAliasColumn};
}

std::uint64_t mcns_bytes(Spec spec, const Graph& graph, const Sizes& s) {
  const bool paper = spec.string("form", "quantile") == "paper";
  std::uint64_t bytes = s.sources * kInt;
  if (spec.string("form", "quantile") == "quantile") bytes += s.sources * 2 * kInt;
  if (spec.integer("steps", paper ? 1 : 0, 0, 1 << 20) == 0) {
    return bytes + (spec.number("power", 0, -10, 10) != 0 ? s.targets * 2 * kAliasColumn : 0);
  }
  const bool nearest = spec.string("proposal", paper ? "nearest" : "walk") == "nearest";
  bytes += nearest ? Proposals::list_bytes(s.targets, spec.integer("near", 20, 1, UINT16_MAX))
                   : (graph.is_weighted() ? s.nodes * kInt : 0);
  if (graph.is_weighted()) bytes += s.arcs * kAliasColumn;
  return bytes + (graph.is_directed() ? 2 * graph.bytes() : 0);
}

/// Tables of irgan and kbgan with their state, and the gradients of a batch.
std::uint64_t generator_bytes(Spec spec, const Sizes& s) {
  const std::uint64_t tables = 2 * (s.sources + s.targets) * s.row;
  const std::uint64_t of_sources = std::min(s.sources, s.batch) * s.row;
  if (spec.name() == "irgan")
    return tables + of_sources + s.targets * (s.row + (Irgan::kSources + 1) * kInt);
  // A pair's candidates: row, policy, and their grouping by row.
  const std::uint64_t places = s.batch * spec.integer("candidates", 100, 1, 10'000);
  return tables + of_sources + std::min(s.targets, places) * s.row + places * 4 * kInt;
}

/// Tables of the samplers that have any.
MemoryPart sampler_part(const std::string& text, int threads, const Graph& graph, const Sizes& s) {
  Spec spec = Spec::parse(text);
  const std::string& name = spec.name();
  if (name == "degree" || name == "wrmf")
    return {"sampler", "weights and an alias table: 16 B a target", s.targets * 2 * kAliasColumn};
  if (name == "mcns")
    return {"sampler", "chains, tails, local proposals", mcns_bytes(spec, graph, s)};
  if (name == "pinsage") {
    const std::uint64_t top = spec.integer("top", PageRankOptions{}.top, 1, 1'000'000);
    return {"sampler", fmt::format("lists of {}, and 24 B a node and thread to make them", top),
            s.sources * (std::min(top, s.targets) + 1) * kInt + threads * s.nodes * 24};
  }
  if (name == "irgan" || name == "kbgan")
    return {"sampler", "a generator: tables, their state, gradients", generator_bytes(spec, s)};
  if (name == "file") return {"sampler", "not counted", 0};
  if (name == "mix") {
    MemoryPart sum{"sampler", "those of the mixture", 0};
    for (const MixedSampler& part : mixed_samplers(text)) {
      require_known("sampler", part.spec, list_samplers());
      Sizes own = s;  // each negative is a pair of its sampler's batch
      own.batch =
          static_cast<std::uint64_t>(part.share * static_cast<double>(s.batch * (s.width - 1)));
      sum.bytes += sampler_part(part.spec, threads, graph, own).bytes + own.batch * 32;
    }
    return sum;
  }
  return {"sampler", "no tables", 0};
}

/// Rows of gradients that a batch has at most: those of its sources, or of what windows share, with
/// room to grow.
std::uint64_t gradient_rows(const TrainOptions& options, const Sizes& s) {
  const std::uint64_t pairs = *options.batch;
  Spec positives = Spec::parse(*options.positives);
  const std::string sampler = Spec::parse(*options.sampler).name();
  const bool walks = positives.name() == "walks" || positives.name() == "node2vec";
  if (!walks || !positives.flag("share", true) || (sampler != "rns" && sampler != "degree"))
    return pairs;
  const std::uint64_t window = positives.integer("window", 10, 1, 1 << 16);
  return std::max(pairs, 5 * pairs * s.width / (8 * window));
}

/// Of a batch's pairs: their names, negatives, scores, and the gradients of their sources.
std::uint64_t pair_bytes(const TrainOptions& options, const Sizes& s) {
  return *options.batch * (s.width * 24 + 64) + gradient_rows(options, s) * s.row;
}

/// Marks for grouping, and the rows of a batch.
MemoryPart lookup_batch(const TrainOptions& options, const Sizes& s) {
  const std::uint64_t rows = *options.tables * s.nodes;
  const std::uint64_t marks = s.nodes + (options.update == "async" ? rows : 2 * rows);
  return {"batch",
          fmt::format("marks of {} rows, {} pairs with {} negatives", rows, *options.batch,
                      s.width - 1),
          marks * kInt + pair_bytes(options, s)};
}

std::vector<MemoryPart> lookup_parts(const TrainOptions& options, const MemoryRequest& request,
                                     const Sizes& s) {
  const int slots = slots_of(make_optimizer(*options.optimizer));
  const std::uint64_t tables = *options.tables * s.nodes * s.row;
  std::vector<MemoryPart> parts = {
      {"tables", fmt::format("{} x {} rows x {} floats", *options.tables, s.nodes, s.row / 4),
       tables},
      {"optimizer", fmt::format("{}: {} x tables", *options.optimizer, slots), slots * tables}};
  if (request.validates()) parts.push_back({"best epoch", "a copy of the tables", tables});
  parts.push_back(lookup_batch(options, s));
  return parts;
}

std::vector<MemoryPart> network_parts(const Graph& graph, const TrainOptions& options,
                                      const MemoryRequest& request, const Sizes& s) {
  const int slots = slots_of(make_optimizer(*options.optimizer));
  const auto draws = static_cast<std::int64_t>(*options.batch * (s.width + 1));
  const EncoderBytes bytes = encoder_bytes(*options.encoder, graph, *options.dim, draws);
  std::vector<MemoryPart> parts = {
      {"parameters", "input vectors and weights", bytes.parameters},
      {"optimizer", fmt::format("{}: {} x parameters", *options.optimizer, slots),
       slots * bytes.parameters},
      {"tables", "current vectors, and layers below", bytes.tables},
      {"coefficients", "4 B an arc and a node", bytes.coefficients},
      {"batch",
       fmt::format("{} pairs with {} negatives, and their neighbourhoods", *options.batch,
                   s.width - 1),
       bytes.batch + pair_bytes(options, s) + 5 * s.nodes * kInt}};
  if (request.validates())
    parts.push_back({"best epoch", "a copy of the parameters", bytes.parameters});
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

std::vector<MemoryPart> estimate_memory(const Graph& graph, const Names& names,
                                        const TrainOptions& options, const MemoryRequest& request) {
  require_known("sampler", *options.sampler, list_samplers());
  require_known("positives", *options.positives, list_positives());
  make_loss(*options.loss, *options.margin);
  const Sizes s(graph, options);
  std::vector<MemoryPart> parts = {
      {"program", fmt::format("code and libraries, {} threads", request.threads),
       request.program + kMoreProgram + (request.threads - 1) * kThread},
      {"graph",
       fmt::format("{} offsets, {} arcs{}", s.nodes + 1, s.arcs,
                   graph.is_weighted() ? " with weights" : ""),
       graph.bytes()},
      {"names", fmt::format("{} names", s.nodes), names.bytes()},
      positives_part(graph, options, s),
  };
  constexpr std::uint64_t kSketch = 12, kSketchArc = 4;
  if (*options.filter == "train")
    parts.push_back({"exclusion", "12 B a source, 4 B an arc",
                     s.sources * kSketch + s.source_arcs * kSketchArc});
  parts.push_back(sampler_part(*options.sampler, request.threads, graph, s));
  const auto model = is_lookup(*options.encoder) ? lookup_parts(options, request, s)
                                                 : network_parts(graph, options, request, s);
  parts.insert(parts.end(), model.begin(), model.end());
  if (request.task) parts.push_back(evaluation_part(*request.task, options, s));
  const std::uint64_t total = total_bytes(parts);
  if (request.peak_so_far > total)
    parts.push_back(
        {"reading", "what reading the graph takes beyond the above", request.peak_so_far - total});
  return parts;
}

std::uint64_t total_bytes(const std::vector<MemoryPart>& parts) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.bytes;
  return total;
}

}  // namespace mcns

// mcns info: statistics of a graph, and the memory a run on it would need.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/graph_stats.h"
#include "mcns/train/memory.h"

#include "cli/load_flags.h"
#include "cli/table.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoFlags {
  std::string path;
  LoadFlags load;
  MemoryRequest memory;
};

const char* kind_name(const Graph& graph) {
  if (graph.is_bipartite()) return "user-item";
  return graph.is_directed() ? "directed" : "undirected";
}

Json degrees_json(const DegreeStats& d) {
  return {{"min", d.min}, {"median", d.median}, {"mean", d.mean}, {"max", d.max}};
}

void print_json(const NamedGraph& loaded, const GraphStats& stats, const MemoryRequest& request,
                const std::vector<MemoryPart>& memory) {
  const auto& g = loaded.graph;
  Json document = {{"kind", kind_name(g)}, {"nodes", g.num_nodes()}, {"edges", g.num_edges()}};
  if (g.is_bipartite())
    document.update({{"users", g.num_users()},
                     {"items", g.num_items()},
                     {"user_degree", degrees_json(stats.users)},
                     {"item_degree", degrees_json(stats.items)}});
  document.update({{"degree", degrees_json(stats.degrees)},
                   {"isolated", stats.isolated},
                   {"components", stats.components},
                   {"largest_component", stats.largest_component},
                   {"weighted", g.is_weighted()},
                   {"read", loaded.counts.read},
                   {"merged", loaded.counts.merged},
                   {"self_loops_dropped", loaded.counts.self_loops},
                   {"self_loops", stats.self_loops},
                   {"repeated", stats.repeated},
                   {"graph_bytes", g.bytes()}});
  Json parts = Json::object();
  for (const auto& part : memory) parts[part.what] = part.bytes;
  document["memory"] = {
      {"encoder", request.encoder},     {"dim", request.dim}, {"tables", request.tables},
      {"optimizer", request.optimizer}, {"bytes", parts},     {"total", total_bytes(memory)}};
  fmt::print("{}\n", document.dump(2));
}

std::string degrees_text(const DegreeStats& d) {
  return fmt::format("min {}, median {}, mean {:.2f}, max {}", d.min, d.median, d.mean, d.max);
}

void print_text(const NamedGraph& loaded, const GraphStats& stats, const MemoryRequest& request,
                const std::vector<MemoryPart>& memory) {
  const auto& g = loaded.graph;
  const auto line = [](const char* what, const std::string& value) {
    fmt::print("{:<14}{}\n", what, value);
  };
  line("kind", fmt::format("{}{}", kind_name(g), g.is_weighted() ? ", weighted" : ""));
  line("nodes", g.is_bipartite() ? fmt::format("{} = {} users + {} items", g.num_nodes(),
                                               g.num_users(), g.num_items())
                                 : fmt::format("{}", g.num_nodes()));
  line("edges", fmt::format("{} ({} read, {} merged, {} self loops dropped)", g.num_edges(),
                            loaded.counts.read, loaded.counts.merged, loaded.counts.self_loops));
  if (stats.self_loops > 0 || stats.repeated > 0)
    line("kept", fmt::format("{} self loops, {} repeated edges", stats.self_loops, stats.repeated));
  line("degree", degrees_text(stats.degrees));
  if (g.is_bipartite()) {
    line("  of users", degrees_text(stats.users));
    line("  of items", degrees_text(stats.items));
  }
  line("isolated", fmt::format("{}", stats.isolated));
  line("components",
       fmt::format("{}, largest {} nodes", stats.components, stats.largest_component));
  line("bytes", fmt::format("{} as compressed rows", readable_bytes(g.bytes())));
  fmt::print("\nMemory of a run with --encoder {} --dim {} --tables {} --optimizer {}:\n",
             request.encoder, request.dim, request.tables, request.optimizer);
  std::vector<std::vector<std::string>> rows = {{"part", "size", "what"}};
  for (const auto& part : memory) rows.push_back({part.what, readable_bytes(part.bytes), part.how});
  rows.push_back({"total", readable_bytes(total_bytes(memory)), ""});
  print_table(rows);
}

}  // namespace

void add_info(CLI::App& root, Session&) {
  auto* command =
      root.add_subcommand("info", "statistics of a graph, and the memory a run would need");
  const auto common = add_common(*command,
                                 "  mcns info edges.tsv\n"
                                 "  mcns info graph.bin --dim 256 --optimizer adam --json\n"
                                 "  mcns info ratings.csv --bipartite separate\n");
  const auto flags = std::make_shared<InfoFlags>();
  command->add_option("GRAPH", flags->path, "any format that `mcns data convert` reads")
      ->required();
  add_load_flags(*command, flags->load);
  auto& memory = flags->memory;
  command->add_option("--encoder", memory.encoder, "see `mcns list encoders`")
      ->capture_default_str();
  command->add_option("--batch", memory.batch, "positives per batch, of a network")
      ->capture_default_str();
  command->add_option("--negatives", memory.negatives, "per positive, of a network")
      ->capture_default_str();
  command->add_option("--dim", memory.dim, "dimension of the vectors")->capture_default_str();
  command->add_option("--tables", memory.tables, "1, or 2: a node and a context vector")
      ->capture_default_str();
  command->add_option("--optimizer", memory.optimizer, "sgd, adagrad or adam")
      ->capture_default_str();
  command->callback([=] {
    ThreadPool pool(common->threads);
    const auto loaded = load_graph(flags->path, flags->load.options(), pool);
    const auto parts = estimate_memory(loaded.graph, loaded.names, flags->memory);
    const auto stats = compute_stats(loaded.graph);
    (common->json ? print_json : print_text)(loaded, stats, flags->memory, parts);
  });
}

}  // namespace mcns::cli

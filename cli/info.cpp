// mcns info: statistics of a graph, and the memory a run on it would need. It takes the settings of
// a run and resolves them as the run would.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/graph_stats.h"
#include "mcns/io/read_report.h"
#include "mcns/plan/memory.h"
#include "mcns/system/process_memory.h"

#include "cli/load_flags.h"
#include "cli/table.h"
#include "cli/train_flags.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoFlags {
  std::string path, task;
  LoadOptions load;
  TrainOptions train;
};

const char* kind_name(const Graph& graph) {
  if (graph.is_bipartite()) return "user-item";
  return graph.is_directed() ? "directed" : "undirected";
}

Json degrees_json(const DegreeStats& d) {
  return {{"min", d.min}, {"median", d.median}, {"mean", d.mean}, {"max", d.max}};
}

void print_json(const NamedGraph& loaded, const GraphStats& stats, const InfoFlags& flags,
                const Plan& plan, const std::vector<MemoryPart>& memory) {
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
                   {"self_loops_dropped", loaded.counts.self_loops},
                   {"self_loops", stats.self_loops},
                   {"repeated", stats.repeated},
                   {"graph_bytes", g.bytes()}});
  document.update(Json::parse(report_json(loaded.report)));
  Json parts = Json::object();
  for (const auto& part : memory) parts[part.what] = part.bytes;
  const TrainOptions& o = plan.options;
  document["memory"] = {{"task", flags.task.empty() ? "none" : flags.task},
                        {"encoder", plan.chosen("encoder")},
                        {"positives", plan.chosen("positives")},
                        {"sampler", plan.chosen("sampler")},
                        {"filter", *o.filter},
                        {"dim", *o.dim},
                        {"tables", *o.tables},
                        {"optimizer", *o.optimizer},
                        {"negatives", setting_text(*o.negatives)},
                        {"batch", *o.batch},
                        {"bytes", parts},
                        {"total", total_bytes(memory)}};
  fmt::print("{}\n", document.dump(2));
}

std::string degrees_text(const DegreeStats& d) {
  return fmt::format("min {}, median {}, mean {:.2f}, max {}", d.min, d.median, d.mean, d.max);
}

void print_text(const NamedGraph& loaded, const GraphStats& stats, const InfoFlags& flags,
                const Plan& plan, const std::vector<MemoryPart>& memory) {
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
  const TrainOptions& o = plan.options;
  fmt::print(
      "\nMemory of `mcns {}` --encoder {} --dim {} --tables {} --optimizer {}\n"
      "  --sampler {} --positives {}:\n",
      flags.task.empty() ? "train" : "run --task " + flags.task, plan.chosen("encoder"), *o.dim,
      *o.tables, *o.optimizer, plan.chosen("sampler"), plan.chosen("positives"));
  std::vector<std::vector<std::string>> rows = {{"part", "size", "what"}};
  for (const auto& part : memory) rows.push_back({part.what, readable_bytes(part.bytes), part.how});
  rows.push_back({"total", readable_bytes(total_bytes(memory)), ""});
  print_table(rows);
}

}  // namespace

void add_info(CLI::App& root, Session&) {
  auto* command =
      root.add_subcommand("info", "statistics of a graph, and the memory a run would need");
  const auto flags = std::make_shared<InfoFlags>();
  command->add_option("GRAPH", flags->path, "file with edges, in any known format")->required();
  command
      ->add_option("--task", flags->task,
                   "print the memory of `mcns run` with this task; without it, of `mcns train`")
      ->type_name("{recommend,linkpred,classify}")
      ->group(group_name(OptionGroup::kData))
      ->check(unnamed(CLI::IsMember({"recommend", "linkpred", "classify"})));
  add_load_flags(*command, flags->load);
  add_options(*command, flags->train);
  const auto common = add_common(*command,
                                 "  mcns info edges.tsv\n"
                                 "  mcns info graph.bin --dim 256 --optimizer adam --json\n"
                                 "  mcns info ratings.csv --bipartite separate --task recommend\n");
  command->callback([=] {
    MemoryRequest request;
    request.program = resident_bytes();
    ThreadPool pool(common->threads);
    const auto loaded = load_graph(flags->path, flags->load, pool);
    request.peak_so_far = peak_resident_bytes();
    request.threads = pool.threads();
    std::optional<Task> task;
    if (!flags->task.empty()) task = parse_task(flags->task);
    const Plan plan = make_plan(flags->train, task, loaded.graph);
    const auto parts = estimate_memory(loaded.graph, loaded.names, plan, request);
    const auto stats = compute_stats(loaded.graph);
    (common->json ? print_json : print_text)(loaded, stats, *flags, plan, parts);
  });
}

}  // namespace mcns::cli

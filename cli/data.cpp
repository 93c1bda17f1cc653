// mcns data: convert and generate graphs, list and get datasets. `split` and `check` have files of
// their own.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/core/generate.h"
#include "mcns/core/graph_stats.h"
#include "mcns/core/stopwatch.h"
#include "mcns/io/formats/formats.h"
#include "mcns/io/get_dataset.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"
#include "mcns/io/read_edges.h"
#include "mcns/io/text_file.h"

#include "cli/load_flags.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Says before any work is done that `path` has no ending we can write.
void check_output(const std::string& path) {
  const auto name = unpacked_name(path);
  const bool packed = name.size() != path.size();
  const bool text = name.ends_with(".tsv") || name.ends_with(".csv") || name.ends_with(".txt");
  require(text || (name.ends_with(".bin") && !packed),
          "unknown ending of {}; valid endings: .bin, or .tsv .csv .txt, these also with "
          ".gz or .zst",
          path);
}

void write_graph(const std::string& path, const NamedGraph& graph) {
  if (path.ends_with(".bin")) {
    save_graph(path, graph.graph, graph.names, graph.counts);
  } else {
    write_text_edges(path, graph.graph, graph.names);
  }
}

/// What was written, as the user counts.
void report_graph(const std::string& out, const NamedGraph& graph, double seconds, bool json) {
  const auto& g = graph.graph;
  const auto isolated = compute_stats(g).isolated;
  const bool text = !out.ends_with(".bin");
  if (json) {
    Json document = {{"file", out}, {"nodes", g.num_nodes()}, {"edges", g.num_edges()}};
    if (g.is_bipartite()) document.update({{"users", g.num_users()}, {"items", g.num_items()}});
    document.update({{"weighted", g.is_weighted()},
                     {"directed", g.is_directed()},
                     {"read", graph.counts.read},
                     {"merged", graph.counts.merged},
                     {"self_loops", graph.counts.self_loops},
                     {"isolated", isolated},
                     {"isolated_written", !text},
                     {"seconds", seconds}});
    fmt::print("{}\n", document.dump(2));
    return;
  }
  std::string nodes = fmt::format("{} nodes", g.num_nodes());
  if (g.is_bipartite()) nodes = fmt::format("{} users, {} items", g.num_users(), g.num_items());
  fmt::print("{}: {}, {} edges{}{} ({} read, {} merged, {} self loops dropped) in {:.2f} s\n", out,
             nodes, g.num_edges(), g.is_weighted() ? ", weighted" : "",
             g.is_directed() ? ", directed" : "", graph.counts.read, graph.counts.merged,
             graph.counts.self_loops, seconds);
  if (isolated > 0 && text)
    fmt::print("{} nodes without an edge are not in a text file; .bin keeps them\n", isolated);
}

void add_data_convert(CLI::App& data) {
  auto* command =
      data.add_subcommand("convert", "convert a graph from any known format to binary or text");
  struct Flags {
    std::string in, out, labels_out;
    LoadOptions load;
  };
  const auto flags = std::make_shared<Flags>();
  command
      ->add_option("IN", flags->in,
                   "file to read: edge list, .mtx, .mat, u.data, reviews .json, .bin")
      ->required();
  command
      ->add_option("OUT", flags->out,
                   "file to write: .bin, or .tsv .csv .txt, also with .gz or .zst")
      ->required();
  add_load_flags(*command, flags->load);
  command->add_option("--labels-out", flags->labels_out, "file to write the labels of a .mat to")
      ->type_name("FILE");
  const auto common =
      add_common(*command,
                 "  mcns data convert edges.tsv.gz graph.bin\n"
                 "  mcns data convert u.data ratings.bin\n"
                 "  mcns data convert blogcatalog.mat edges.tsv --labels-out labels.tsv\n"
                 "  mcns data convert train.txt train.tsv.zst --format lightgcn\n");
  command->callback([=] {
    check_output(flags->out);
    const auto format = flags->load.format_name();
    require(
        flags->labels_out.empty() || (format.empty() ? format_of_name(flags->in) : format) == "mat",
        "--labels-out needs a .mat as input, got {}", flags->in);
    const Stopwatch watch;
    ThreadPool pool(common->threads);
    const auto graph = load_graph(flags->in, flags->load, pool);
    if (!flags->labels_out.empty()) {
      std::vector<LabelLine> lines;
      for (const auto& [node, label] : read_mat(flags->in).labels)
        lines.push_back({std::to_string(node), std::to_string(label)});
      write_labels(flags->labels_out, lines);
    }
    write_graph(flags->out, graph);
    report_graph(flags->out, graph, watch.seconds(), common->json);
  });
}

void add_data_generate(CLI::App& data) {
  std::string kinds;
  for (const auto& [name, help] : list_generators())
    kinds += fmt::format("  {:16} {}\n", name, help);
  auto* command = data.add_subcommand("generate", "generate a random graph");
  struct Flags {
    std::string kind, out, labels_out;
    GenerateOptions options;
  };
  const auto flags = std::make_shared<Flags>();
  auto& o = flags->options;
  command->add_option("KIND", flags->kind, "kind of graph, see below")->required();
  command
      ->add_option("OUT", flags->out,
                   "file to write: .bin, or .tsv .csv .txt, also with .gz or .zst")
      ->required();
  command->add_option("--nodes", o.nodes, "number of nodes, users and items together")
      ->check(whole_number<NodeId>())
      ->required();
  command->add_option("--edges", o.edges, "number of edges to draw; repeated ones are merged")
      ->check(whole_number<EdgeId>())
      ->required();
  command->add_option("--users", o.users, "bipartite: number of users (0: half of the nodes)")
      ->check(whole_number<NodeId>())
      ->capture_default_str();
  command
      ->add_option("--exponent", o.exponent,
                   "power-law, bipartite: exponent of the degree distribution")
      ->capture_default_str();
  command->add_option("--blocks", o.blocks, "sbm: number of blocks")
      ->check(whole_number<int>())
      ->capture_default_str();
  command->add_option("--within", o.within, "sbm: share of the edges inside blocks")
      ->capture_default_str();
  command
      ->add_option("--labels-out", flags->labels_out,
                   "sbm: file to write the block of each node to")
      ->type_name("FILE");
  const auto common = add_common(
      *command,
      "  mcns data generate erdos-renyi er.bin --nodes 1000000 --edges 10000000\n"
      "  mcns data generate bipartite ui.tsv.gz --nodes 3000 --users 1000 --edges 50000\n"
      "  mcns data generate sbm g.tsv --nodes 1000 --edges 20000 --labels-out labels.tsv\n"
      "\nKinds:\n" +
          kinds);
  command->callback([=] {
    check_output(flags->out);
    require(flags->labels_out.empty() || flags->kind == "sbm",
            "--labels-out needs the kind sbm, got {}", flags->kind);
    const Stopwatch watch;
    ThreadPool pool(common->threads);
    auto options = flags->options;
    options.seed = common->seed;
    auto made = generate_graph(flags->kind, options, pool);
    std::vector<std::int64_t> ids(made.graph.num_nodes());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i);
    if (!flags->labels_out.empty()) {
      std::vector<LabelLine> lines;
      for (std::size_t i = 0; i < made.labels.size(); ++i)
        lines.push_back({std::to_string(i), std::to_string(made.labels[i])});
      write_labels(flags->labels_out, lines);
    }
    const NamedGraph graph{std::move(made.graph), Names(std::move(ids)), made.counts};
    write_graph(flags->out, graph);
    report_graph(flags->out, graph, watch.seconds(), common->json);
  });
}

std::string help_of(const std::string& name) {
  const auto& table = known_datasets();
  const auto found = std::ranges::find(table, name, &DatasetEntry::name);
  return found == table.end() ? "" : found->help;
}

void add_data_list(CLI::App& data) {
  auto* command =
      data.add_subcommand("list", "list datasets on this machine and those to download");
  const auto common = add_common(*command, "  mcns data list\n  mcns data list --json\n");
  command->callback([=] {
    std::vector<std::vector<std::string>> rows = {{"dataset", "where", "what"}};
    auto document = Json::array();
    const auto add = [&](const std::string& name, const std::string& kind, const std::string& where,
                         const std::string& help) {
      rows.push_back({name, where, help});
      document.push_back({{"name", name}, {"kind", kind}, {"where", where}, {"help", help}});
    };
    for (const auto& [name, folder, embedded] : found_datasets())
      add(name, embedded ? "embedded" : "folder", folder, help_of(name));
    for (const auto& dataset : downloadable_datasets())
      add(dataset.name, "download", fmt::format("mcns data get {}", dataset.name), dataset.help);
    if (common->json) {
      fmt::print("{}\n", document.dump(2));
    } else {
      print_table(rows);
    }
  });
}

/// A line on stderr that is drawn over, on terminals only.
DownloadProgress make_progress(const std::string& name, bool quiet) {
  if (quiet || isatty(fileno(stderr)) == 0) return {};
  return [name](std::int64_t done, std::int64_t total) {
    const double percent = total > 0 ? 100.0 * static_cast<double>(done) / total : 0;
    put_stderr(fmt::format(
        "\r\x1b[K{}: {}{}", name, readable_bytes(done),
        total > 0 ? fmt::format(" of {} ({:.0f} %)", readable_bytes(total), percent) : ""));
    if (total > 0 && done == total) put_stderr("\n");
    return true;
  };
}

void report_get(const Downloadable& dataset, const GetReport& report, bool json) {
  if (json) {
    const Json document = {
        {"name", dataset.name},    {"folder", report.folder}, {"url", dataset.url},
        {"sha256", report.digest}, {"pinned", report.pinned}, {"downloaded", report.downloaded},
        {"nodes", report.nodes},   {"edges", report.edges},   {"licence", dataset.licence}};
    fmt::print("{}\n", document.dump(2));
    return;
  }
  fmt::print("{}: {} nodes, {} edges in {}{}\n", dataset.name, report.nodes, report.edges,
             report.folder, report.downloaded ? "" : " (the download was there already)");
  fmt::print(
      "SHA-256 {}{}\n", report.digest,
      report.pinned ? ", as expected" : "; no digest is pinned for this file, keep this one");
  fmt::print("terms: {}\n", dataset.licence);
  fmt::print("use it with --data {}\n",
             data_folder() && std::filesystem::path(report.folder) ==
                                  std::filesystem::path(*data_folder()) / dataset.name
                 ? dataset.name
                 : report.folder);
}

void add_data_get(CLI::App& data) {
  auto* command = data.add_subcommand("get", "download a public dataset of the paper");
  struct Flags {
    std::string name, out;
    bool force = false;
  };
  const auto flags = std::make_shared<Flags>();
  command->add_option("NAME", flags->name, "name of a dataset (mcns data list)")->required();
  command->add_option("--out", flags->out, "folder to write; default: $MCNS_DATA/NAME, or ./NAME")
      ->type_name("DIR");
  command->add_flag("--force", flags->force, "download again even if the file is there");
  const auto common = add_common(*command,
                                 "  mcns data get ml-100k\n"
                                 "  mcns data get blogcatalog --out datasets/blogcatalog\n");
  command->callback([=] {
    const auto& table = downloadable_datasets();
    const auto dataset = std::ranges::find(table, flags->name, &Downloadable::name);
    if (dataset == table.end()) {
      std::vector<std::string> known;
      for (const auto& entry : table) known.push_back(entry.name);
      throw_unknown("dataset to download", flags->name, known);
    }
    const auto root = std::filesystem::path(data_folder().value_or("."));
    const auto folder = flags->out.empty() ? (root / flags->name).string() : flags->out;
    ThreadPool pool(common->threads);
    const auto report = get_dataset(*dataset, folder, flags->force, pool,
                                    make_progress(flags->name, common->quiet));
    report_get(*dataset, report, common->json);
  });
}

}  // namespace

void add_data(CLI::App& root, Session& session) {
  auto* data =
      root.add_subcommand("data", "list, download, convert, generate, split and check datasets");
  data->footer("`mcns help data COMMAND` shows the options of a command.");
  data->require_subcommand(1);
  add_data_convert(*data);
  add_data_generate(*data);
  add_data_list(*data);
  add_data_get(*data);
  add_data_split(*data, session);
  add_data_check(*data, session);
}

}  // namespace mcns::cli

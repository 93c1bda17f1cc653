#include "fuzz/targets.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <unistd.h>

#include "mcns/core/error.h"
#include "mcns/core/features.h"
#include "mcns/io/checkpoint.h"
#include "mcns/io/dataset.h"
#include "mcns/io/features_file.h"
#include "mcns/io/graph_file.h"
#include "mcns/io/input.h"
#include "mcns/io/model_directory.h"
#include "mcns/io/npy.h"
#include "mcns/io/text_labels.h"
#include "mcns/io/vector_files.h"
#include "mcns/model/top_lists.h"
#include "mcns/model/weights.h"
#include "mcns/plan/saved_settings.h"
#include "mcns/train/trainer.h"

#include "cli/arguments.h"

namespace mcns::fuzz {
namespace {

namespace fs = std::filesystem;

/// A folder in memory where there is one; it goes with the object.
struct Scratch {
  std::string path =
      fmt::format("{}/mcns-fuzz-{}", fs::is_directory("/dev/shm") ? "/dev/shm" : "/tmp", getpid());

  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

const std::string& scratch() {
  static const Scratch folder;
  return folder.path;
}

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

ThreadPool& pool() {
  static ThreadPool one(1);
  return one;
}

/// A small user-item graph, and what belongs to it.
struct World {
  std::vector<std::string> ids;
  Graph graph;
  Names names;

  World() {
    EdgeList edges;
    for (NodeId u = 0; u < 6; ++u)
      for (const NodeId step : {1, 2, 4}) edges.pairs.push_back({u, 6 + u * step % 7});
    for (int i = 0; i < 6; ++i) ids.push_back(fmt::format("u{}", i));
    for (int i = 0; i < 7; ++i) ids.push_back(fmt::format("i{}", i));
    names = Names(ids);
    graph = build_graph(std::move(edges), 13, {GraphKind::kBipartite, 6}, pool());
  }
};

const World& world() {
  static const World one;
  return one;
}

/// The arrays of a graph as they must be, checked the slow way.
void check_graph(const Graph& graph) {
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    NodeId last = 0;
    for (const NodeId v : graph.neighbors(u)) {
      if (v < last || v >= graph.num_nodes()) std::abort();
      last = v;
      const bool crosses = (u < graph.num_users()) != (v < graph.num_users());
      if (graph.is_bipartite() && !crosses) std::abort();
      const auto back = graph.neighbors(v);
      if (!graph.is_directed() && std::find(back.begin(), back.end(), u) == back.end())
        std::abort();
    }
  }
}

/// As `mcns info --format` does, in one of several ways that the bytes choose.
template <const char* Format>
void read_graph(const std::string& path) {
  LoadOptions options;
  options.format = Format;
  const auto size = fs::file_size(path);
  if (size % 3 == 1) options.bipartite = "separate";
  if (size % 5 == 1) options.duplicates = "keep";
  if (size % 7 == 1) options.directed = true;
  if (size % 11 == 1) options.core = 2;
  if (size % 13 == 1) options.header = "yes";
  check_graph(
      load_graph(path, options, pool(), size % 2 == 0 ? Times::kDrop : Times::kIfAny).graph);
}

constexpr char kEdges[] = "edges", kLightgcn[] = "lightgcn", kMovielens[] = "movielens",
               kAmazon[] = "amazon", kMtx[] = "mtx", kMat[] = "mat", kInter[] = "inter",
               kAuto[] = "auto";

void read_bin(const std::string& path) {
  const NamedGraph named = load_graph_file(path);
  check_graph(named.graph);
  if (named.names.size() != named.graph.num_nodes()) std::abort();
  read_graph_edges(path);
}

std::vector<std::string> bin_seeds() {
  const std::string path = scratch() + "/seed.bin";
  std::vector<std::string> out;
  save_graph(path, world().graph, world().names);
  out.push_back(content_of(path));
  for (const GraphKind kind : {GraphKind::kUndirected, GraphKind::kDirected}) {
    const Graph graph = build_graph({{{0, 1}, {1, 2}, {3, 0}}, {1, 0.5F, 2}}, 4, {kind}, pool());
    save_graph(path, graph, Names(std::vector<std::int64_t>{7, 8, 9, 40}));
    out.push_back(content_of(path));
  }
  return out;
}

void read_packed(const std::string& path) {
  const Input input(path);
  if (input.bytes().empty()) std::abort();
}

void read_table(const std::string& path) { check_vectors(path, read_npy(path)); }
void read_named_vectors(const std::string& path) {
  const NamedVectors found = read_vectors(path);
  check_vectors(path, found.vectors);
}

/// A short run, for its state.
class Run {
 public:
  explicit Run(const char* sampler) {
    TrainOptions options;
    options.sampler = sampler;
    options.positives = "edges";
    options.dim = 3;
    options.batch = 8;
    options.epochs = 3;
    options.optimizer = "adam";
    plan_ = std::make_unique<Plan>(make_plan(options, std::nullopt, world().graph));
    reset();
  }
  void reset() { trainer_ = std::make_unique<Trainer>(*plan_, 1, world().graph, nullptr, pool()); }
  Trainer& trainer() { return *trainer_; }

 private:
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Trainer> trainer_;
};

constexpr const char* kSamplers[] = {"mcns", "irgan", "mcns:step=ensemble,chains=2"};

std::vector<std::string> state_seeds() {
  std::vector<std::string> out;
  for (const char* sampler : kSamplers) {
    Run run(sampler);
    run.trainer().run({});
    out.push_back(state_to_bytes([&](Archive& a) { run.trainer().visit_state(a); }));
  }
  return out;
}

/// A state that is accepted must be one to go on from.
void read_state(const std::string& path) {
  const std::string bytes = content_of(path);
  const char* sampler = kSamplers[0];
  for (const char* name : {"generator.source", "mcns.states"})
    if (bytes.find(name) != std::string::npos) sampler = kSamplers[name[0] == 'g' ? 1 : 2];
  Run run(sampler);
  state_from_bytes(bytes, [&](Archive& a) { run.trainer().visit_state(a); });
  try {
    run.trainer().run({});
  } catch (const Error& error) {  // numbers that were finite may overflow later, which is told
    if (error.kind() != ErrorKind::kRuntime) throw;
  }
}

/// A sound model of which one file is replaced; its first byte says which.
void read_model(const std::string& path) {
  static const std::string folder = [] {
    std::string out = scratch() + "/model";
    fs::create_directories(out);
    Matrix table(world().graph.num_nodes(), 4);
    for (std::int64_t i = 0; i < table.rows(); ++i) table.row(i)[i % 4] = 1;
    write_model_directory(out, {world().graph,
                                world().names,
                                table.view(),
                                {},
                                R"({"settings":{"dim":{"value":4},"task":{"value":"recommend"}}})",
                                "",
                                "",
                                "{}"});
    return out;
  }();
  constexpr const char* kFiles[] = {"embeddings.npy", "context.npy", "graph.bin", "run.json",
                                    "nodes.tsv"};
  const std::string bytes = content_of(path);
  if (bytes.empty()) return;
  const auto which = static_cast<unsigned char>(bytes[0]) % std::size(kFiles);
  const std::string file = folder + "/" + kFiles[which], kept = folder + "/kept";
  const bool was_there = fs::exists(file);
  if (was_there) fs::rename(file, kept);
  struct Restore {
    const std::string &file, &kept;
    bool was_there;
    ~Restore() {
      fs::remove(file);
      if (was_there) fs::rename(kept, file);
    }
  } const restore{file, kept, was_there};
  write(file, std::string_view(bytes).substr(1));
  if (which == 4) {
    read_nodes(file);
    return;
  }
  const LoadedModel model = load_model_directory(folder);
  const SavedSettings settings(model.run_json, "run.json");
  settings.flags();
  const auto lists =
      TopLists::of_items(model,
                         {model.embeddings.view(),
                          model.context.empty() ? model.embeddings.view() : model.context.view()},
                         all_askers(model.graph.sources()), 3);
  std::vector<ScoredNode> out(static_cast<std::size_t>(lists.size()) * lists.k());
  lists.fill(0, lists.size(), pool(), out);
}

void repair_model(std::string& bytes, std::uint64_t choice) {
  if (bytes.empty()) return;
  const char first = bytes[0];
  const auto which = static_cast<unsigned char>(first) % 5;
  std::string rest = bytes.substr(1);
  if (which < 2) repair_npy(rest, choice);
  if (which == 2) repair_graph(rest, choice);
  bytes = first + rest;
}

std::vector<std::string> model_seeds() {
  const std::string path = scratch() + "/seed";
  Matrix table(13, 4);
  write_npy(path, table.view());
  const std::string npy = content_of(path);
  const std::string run = R"({"settings":{"dim":{"value":4},"sampler":{"value":"mcns"},
                 "sampler.hardness":{"value":"8"}}})";
  return {'\0' + npy, '\1' + npy, '\2' + bin_seeds()[0], '\3' + run,
          "\4row\tid\tkind\n0\tu0\tuser\n1\ti0\titem\n"};
}

std::unique_ptr<Encoder> network() {
  return make_encoder("gcn:layers=1", {world().graph, 4, 1, 0, 1, pool()});
}

void read_weights(const std::string& path) {
  const auto encoder = network();
  std::vector<NodeId> rows(world().graph.num_nodes());
  for (NodeId v = 0; v < std::ssize(rows); ++v) rows[v] = v;
  load_weights(path, *encoder, rows, Unmatched::kZero);
}

std::vector<std::string> weight_seeds() {
  const std::string path = scratch() + "/seed.npz";
  save_weights(path, *network());
  return {content_of(path)};
}

std::vector<std::string> npz_seeds() {
  const std::string path = scratch() + "/seed.npz";
  NamedVectors table{{"a", "bc"}, {"user", "item"}, Matrix(2, 3)};
  write_vectors_npz(path, table);
  std::vector<std::string> out = {content_of(path)};
  table.ids = {"5", "6"};
  write_vectors_npz(path, table);
  out.push_back(content_of(path));
  return out;
}

std::vector<std::string> npy_seeds() {
  return {npy_header(2, 3) + std::string(24, '\0'),
          npy_header("<f8", {1, 2}) + std::string(16, 'a')};
}

/// Options of a command, as `mcns train --config FILE`.
void read_config(const std::string& path) {
  CLI::App root("mcns", "mcns");
  for (const char* name : {"train", "run", "data"}) {
    CLI::App* command = root.add_subcommand(name);
    for (const char* option : {"--dim", "--lr", "--sampler", "--graph"})
      command->add_option(option, [](const CLI::results_t&) { return true; });
  }
  root.get_subcommand("data")->add_subcommand("split");
  std::set<std::string> names;
  try {
    cli::with_config_file({"train", "--config", path}, *root.get_subcommand("train"), names);
  } catch (const CLI::ParseError&) {  // main() prints it
  }
}

void read_run_json(const std::string& path) {
  const SavedSettings settings(content_of(path), path);
  settings.flags();
}

/// What a user writes after a flag, a line each: sampler, encoder, positives, loss, columns.
void read_specs(const std::string& path) {
  const std::string text = content_of(path);
  const auto line = [rest = std::string_view(text)]() mutable {
    const auto end = rest.find('\n');
    std::string found(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return found;
  };
  auto next = line;
  TrainOptions options;
  const auto set = [&](std::optional<std::string>& option) {
    if (const std::string value = next(); !value.empty()) option = value;
  };
  set(options.sampler);
  set(options.encoder);
  set(options.positives);
  set(options.loss);
  const ColumnSpec columns(next());
  make_plan(options, std::nullopt, world().graph);
}

void read_label_lines(const std::string& path) { read_labels(path); }
void read_feature_lines(const std::string& path) {
  read_features(path, world().graph, world().names);
}
void read_list(const std::string& path) {
  const Exclusion exclusion(world().graph, Filter::kTrain);
  make_sampler("file:" + path, {world().graph, exclusion, 4, 1, 1, pool(), &world().names});
}
void read_ids(const std::string& path) {
  read_askers(path, world().names, world().graph.sources());
}

constexpr bool kText = true, kBinary = false;
constexpr Target kTargets[] = {
    {"edges", kText, ".tsv", read_graph<kEdges>, nullptr, nullptr},
    {"any", kText, "", read_graph<kAuto>, nullptr, nullptr},
    {"lightgcn", kText, ".txt", read_graph<kLightgcn>, nullptr, nullptr},
    {"movielens", kText, ".dat", read_graph<kMovielens>, nullptr, nullptr},
    {"amazon", kText, ".json", read_graph<kAmazon>, nullptr, nullptr},
    {"mtx", kText, ".mtx", read_graph<kMtx>, nullptr, nullptr},
    {"mat", kBinary, ".mat", read_graph<kMat>, nullptr, nullptr},
    {"inter", kText, ".inter", read_graph<kInter>, nullptr, nullptr},
    {"bin", kBinary, ".bin", read_bin, bin_seeds, repair_graph},
    {"gz", kBinary, ".gz", read_packed, nullptr, nullptr},
    {"zst", kBinary, ".zst", read_packed, nullptr, nullptr},
    {"npy", kBinary, ".npy", read_table, npy_seeds, repair_npy},
    {"npz", kBinary, ".npz", read_named_vectors, npz_seeds, nullptr},
    {"word2vec", kText, ".txt", read_named_vectors, nullptr, nullptr},
    {"word2vec-bin", kBinary, ".bin", read_named_vectors, nullptr, nullptr},
    {"checkpoint", kBinary, ".bin", read_state, state_seeds, repair_state},
    {"model", kBinary, "", read_model, model_seeds, repair_model},
    {"weights", kBinary, ".npz", read_weights, weight_seeds, nullptr},
    {"toml", kText, ".toml", read_config, nullptr, nullptr},
    {"run-json", kText, ".json", read_run_json, nullptr, nullptr},
    {"specs", kText, "", read_specs, nullptr, nullptr},
    {"labels", kText, ".tsv", read_label_lines, nullptr, nullptr},
    {"features", kText, ".tsv", read_feature_lines, nullptr, nullptr},
    {"lists", kText, ".tsv", read_list, nullptr, nullptr},
    {"ids", kText, ".tsv", read_ids, nullptr, nullptr},
};

bool is_of_a_library(const std::string& message) {
  for (const char* part : {"_M_", "std::", "json.exception", "basic_string", "vector::"})
    if (message.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target& find_target(std::string_view name) {
  std::string known;
  for (const Target& target : kTargets) {
    if (target.name == name) return target;
    known += fmt::format(" {}", target.name);
  }
  throw std::invalid_argument(fmt::format("no target '{}'; known:{}", name, known));
}

void run_target(const Target& target, std::string_view bytes) {
  const std::string path = fmt::format("{}/input{}", scratch(), target.ending);
  write(path, bytes);
  try {
    target.read(path);
  } catch (const Error& error) {
    // Bytes of the input may stand in a message, so only what is not quoted from it counts.
    const std::string message = error.what();
    if (is_of_a_library(message) && !is_of_a_library(std::string(bytes))) {
      std::fprintf(stderr, "%s: a message of a library: %s\n", target.name.data(), error.what());
      std::abort();
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: not an error of ours: %s\n", target.name.data(), error.what());
    std::abort();
  }
}

}  // namespace mcns::fuzz

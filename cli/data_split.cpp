// mcns data split: splits one edge file into train, valid and test files that `data check` finds
// clean.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/io/files.h"
#include "mcns/io/text_file.h"
#include "mcns/splits/interactions.h"
#include "mcns/splits/links.h"
#include "mcns/splits/part.h"

#include "cli/split_flags.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "  mcns data split ratings.tsv --task recommend --out split --folds 11 --fold 1\n"
    "  mcns data split ratings.tsv --task recommend --out split --test 0.1 --valid 0.1\n"
    "  mcns data split ratings.csv --task recommend --out split --split time --time-cut user\n"
    "  mcns data split edges.tsv --task linkpred --out split --test 0.3 --valid 0.05\n"
    "  mcns data split edges.tsv --task linkpred --out split --non-edges two-hop\n"
    "\n--folds N --fold F splits the pairs into N parts: the last is valid, part F is test.\n"
    "linkpred keeps connected components, and adds as many non-edges (label 0) to valid and "
    "test.\n";

struct Flags : SplitFlags {
  std::string in, out, split, reciprocal = "apart", non_edges = "uniform", time_cut = "global";
  int folds = 0, fold = 0;
  double test = -1, valid = -1;  ///< below 0: the default of the task
  bool force = false;
};

/// A file of the split: its pairs, with weights or labels.
struct PartFile {
  std::vector<Pair> pairs;
  std::vector<float> values;
};
using PartFiles = std::array<PartFile, 3>;  ///< in the order of Part

PartFile labelled(HeldOut held_out) {
  std::vector<float> labels(held_out.labels.begin(), held_out.labels.end());
  return {std::move(held_out.pairs), std::move(labels)};
}

/// The kind of split: as given, else parts where their number is, else the usual one of the task.
std::string split_name(const Flags& flags) {
  if (!flags.split.empty()) return flags.split;
  if (flags.folds > 0) return "paper";
  return flags.task == Task::kRecommend ? "random" : "connected";
}

SplitRequest request_of(const Flags& flags, const Common& common) {
  const bool recommend = flags.task == Task::kRecommend;
  SplitRequest out{.kind = parse_split(split_name(flags), flags.task),
                   .valid = flags.valid < 0 ? (recommend ? 0.1 : 0.05) : flags.valid,
                   .test = flags.test < 0 ? (recommend ? 0.1 : 0.3) : flags.test,
                   .time_cut = parse_time_cut(flags.time_cut),
                   .reciprocal = parse_reciprocal(flags.reciprocal),
                   .non_edges = parse_non_edges(flags.non_edges),
                   .seed = common.seed};
  if (flags.folds > 0) out.parts = flags.folds;
  if (flags.fold > 0) out.fold = flags.fold;
  return out;
}

PartFiles split_recommend(const NamedGraph& named, const SplitRequest& request) {
  const EdgeList all = edge_list(named.graph);
  InteractionSplit split = split_interactions({all.pairs, all.weights, named.times}, request);
  return {PartFile{std::move(split.train.pairs), std::move(split.train.weights)},
          PartFile{std::move(split.valid), {}}, PartFile{std::move(split.test), {}}};
}

PartFiles split_linkpred(const NamedGraph& named, const SplitRequest& request, ThreadPool& pool) {
  LinkSplit split = split_links(named.graph, request, pool, named.times);
  if (request.kind != SplitKind::kTime && !split.counts.complete(split.valid, split.test))
    print_note(fmt::format(
        "mcns: only {} of {} edges can be removed without breaking a component: test has {} "
        "of {} wanted, valid {} of {}",
        split.counts.removable, split.counts.edges, split.test.pairs.size() / 2,
        split.counts.wanted_test, split.valid.pairs.size() / 2, split.counts.wanted_valid));
  return {PartFile{std::move(split.train.pairs), std::move(split.train.weights)},
          labelled(std::move(split.valid)), labelled(std::move(split.test))};
}

std::string path_of(const Flags& flags, Part part) {
  return (fs::path(flags.out) / fmt::format("{}.tsv", part_name(part))).string();
}

void check_flags(const Flags& flags) {
  require(flags.folds == 0 || flags.task == Task::kRecommend, "--folds is for --task recommend");
  require(flags.folds == 0 || (flags.test < 0 && flags.valid < 0),
          "--folds and --test, --valid exclude each other");
  require((flags.folds > 0) == (flags.fold > 0), "--folds N and --fold F go together");
  const std::string name = split_name(flags);
  const SplitKind kind = parse_split(name, flags.task);
  require(flags.folds == 0 || kind == SplitKind::kPaper, "--folds is for --split paper, got {}",
          name);
  const bool folds = kind == SplitKind::kPaper && flags.task == Task::kRecommend;
  require((flags.test < 0 && flags.valid < 0) || (!folds && kind != SplitKind::kLeaveOneOut),
          "--test and --valid are for splits by shares, not for --split {}", name);
  require(flags.time_cut == "global" || kind == SplitKind::kTime,
          "--time-cut is for --split time, got {}", name);
  require(flags.reciprocal == "apart" || flags.load.is_directed(),
          "--reciprocal together needs --directed");
  require(flags.non_edges == "uniform" || flags.task == Task::kLinkpred,
          "--non-edges is for --task linkpred");
  if (flags.force) return;
  for (const Part part : {Part::kTrain, Part::kValid, Part::kTest})
    require(!fs::exists(path_of(flags, part)), "{} exists already; --force replaces it",
            path_of(flags, part));
}

/// A part without pairs has no file: an empty one could not be read.
void write_parts(const Flags& flags, const PartFiles& parts, const NamedGraph& named) {
  make_directories(flags.out);
  for (const Part part : {Part::kTrain, Part::kValid, Part::kTest}) {
    const auto& [pairs, values] = parts[static_cast<int>(part)];
    if (pairs.empty()) {
      fs::remove(path_of(flags, part));
      continue;
    }
    const TextPairs text{pairs, values, part == Part::kTrain ? "weight" : "label",
                         named.graph.is_bipartite()};
    write_text_pairs(path_of(flags, part), text, named.names);
  }
}

void report(const Flags& flags, const PartFiles& parts, const NamedGraph& named, bool json) {
  Json files = Json::object();
  for (const Part part : {Part::kTrain, Part::kValid, Part::kTest}) {
    const auto& [pairs, values] = parts[static_cast<int>(part)];
    const bool has_labels = part != Part::kTrain && !values.empty();
    const auto negatives = has_labels ? std::ssize(pairs) / 2 : 0;
    const auto positives = std::ssize(pairs) - negatives;
    if (pairs.empty()) continue;
    files[part_name(part)] = {{"file", path_of(flags, part)}, {"pairs", positives}};
    if (has_labels) files[part_name(part)]["negatives"] = negatives;
    if (!json)
      fmt::print("{}: {} pairs{}\n", path_of(flags, part), positives,
                 has_labels ? fmt::format(", {} negatives", negatives) : "");
  }
  const Json document = {{"task", flags.task_name},
                         {"nodes", named.graph.num_nodes()},
                         {"edges", named.graph.num_edges()},
                         {"merged", named.counts.merged},
                         {"self_loops", named.counts.self_loops},
                         {"files", files}};
  if (json) {
    fmt::print("{}\n", document.dump(2));
  } else {
    fmt::print("{} edges of {} nodes ({} repeated merged, {} self loops dropped)\n",
               named.graph.num_edges(), named.graph.num_nodes(), named.counts.merged,
               named.counts.self_loops);
  }
}

void split(Flags& flags, const Common& common) {
  finish_split_flags(flags);
  check_flags(flags);
  ThreadPool pool(common.threads);
  const SplitRequest request = request_of(flags, common);
  const Times times = request.kind == SplitKind::kTime          ? Times::kNeed
                      : request.kind == SplitKind::kLeaveOneOut ? Times::kIfAny
                                                                : Times::kDrop;
  const NamedGraph named = load_graph(flags.in, flags.load, pool, times);
  const auto parts = flags.task == Task::kRecommend ? split_recommend(named, request)
                                                    : split_linkpred(named, request, pool);
  if (parts[0].pairs.empty() || (parts[1].pairs.empty() && parts[2].pairs.empty()))
    throw_error(ErrorKind::kData,
                "{} has {} edges: with these fractions nothing is left for train, or nothing is "
                "held out",
                flags.in, named.graph.num_edges());
  write_parts(flags, parts, named);
  report(flags, parts, named, common.json);
}

}  // namespace

void add_data_split(CLI::App& data, Session&) {
  CLI::App* command = data.add_subcommand("split", "split edges into train, valid and test files");
  const auto flags = std::make_shared<Flags>();
  command->add_option("IN", flags->in, "file with edges, in any known format")->required();
  add_split_flags(*command, *flags);
  command->add_option("--out", flags->out, "folder to write train.tsv, valid.tsv and test.tsv to")
      ->type_name("DIR")
      ->required();
  command
      ->add_option(
          "--split", flags->split,
          "recommend: random, time (the latest pairs), leave-one-out (one of each user) or "
          "paper (parts); linkpred: connected, hidden (at random) or time; default: random, "
          "connected")
      ->type_name("KIND");
  command
      ->add_option("--time-cut", flags->time_cut,
                   "--split time: one cut for all pairs, or the latest of each user (recommend)")
      ->type_name("{global,user}")
      ->check(unnamed(CLI::IsMember({"global", "user"})))
      ->capture_default_str();
  command
      ->add_option("--test", flags->test,
                   "share of the edges for test; default: recommend 0.1, linkpred 0.3")
      ->check(unnamed(CLI::Range(0.0, 1.0)));
  command
      ->add_option("--valid", flags->valid,
                   "share of the edges for valid; default: recommend 0.1, linkpred 0.05")
      ->check(unnamed(CLI::Range(0.0, 1.0)));
  command
      ->add_option("--folds", flags->folds,
                   "recommend: number of parts, in place of shares (the paper: 11)")
      ->check(whole_number(3, 1000));
  command
      ->add_option("--fold", flags->fold,
                   "recommend: the part that is the test set, 1 to folds - 1")
      ->check(whole_number(1, 999));
  command
      ->add_option("--reciprocal", flags->reciprocal,
                   "directed linkpred: hold out (a, b) and (b, a) each on its own, or together")
      ->type_name("{apart,together}")
      ->check(unnamed(CLI::IsMember({"apart", "together"})))
      ->capture_default_str();
  command
      ->add_option("--non-edges", flags->non_edges,
                   "linkpred: pairs at random, by the product of degrees, or those with a common "
                   "neighbour")
      ->type_name("{uniform,degree,two-hop}")
      ->check(unnamed(CLI::IsMember({"uniform", "degree", "two-hop"})))
      ->capture_default_str();
  command->add_flag("--force", flags->force, "replace existing files");
  const auto common = add_common(*command, kExamples);
  command->callback([=] { split(*flags, *common); });
}

}  // namespace mcns::cli

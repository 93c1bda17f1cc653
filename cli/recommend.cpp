// mcns recommend: the best items for a user, for many users, or for somebody new.
// mcns neighbors: the nearest nodes of a node, or of many.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/model/fold_in.h"
#include "mcns/model/list_file.h"
#include "mcns/model/scores.h"
#include "mcns/model/top_lists.h"

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"

namespace mcns::cli {
namespace {

struct ListFlags {
  std::string model, id, file, items, kind, names;
  bool all = false, resume = false;
  std::size_t k = 10;
  std::string out;

  bool many() const { return all || !file.empty(); }
};

NodeId find_node(const LoadedModel& model, const std::string& id, NodeRange range,
                 const std::string& hint) {
  const auto row = model.names.find(id, range);
  require(row.has_value(), "the model has no {}; nodes.tsv lists them", hint);
  return *row;
}

/// Prints the list of one.
void print_list(const LoadedModel& model, const std::string& key, const std::string& id,
                const std::vector<ScoredNode>& best, const ListFlags& flags, bool json) {
  const NamesById names = flags.names.empty() ? NamesById{} : read_names(flags.names);
  const auto name_of = [&](const std::string& node) {
    const auto found = names.find(node);
    return found == names.end() ? "" : found->second;
  };
  nlohmann::ordered_json document{{key, as_utf8(id)}, {"results", nlohmann::ordered_json::array()}};
  std::vector<std::vector<std::string>> rows = {{"rank", "id", "score"}};
  if (!flags.names.empty()) rows[0].emplace_back("name");
  for (std::size_t i = 0; i < best.size(); ++i) {
    const std::string node = model.names.name(best[i].node);
    nlohmann::ordered_json entry{{"rank", i + 1}, {"id", as_utf8(node)}, {"score", best[i].score}};
    rows.push_back({std::to_string(i + 1), node, fmt::format("{:.4f}", best[i].score)});
    if (!flags.names.empty()) {
      entry["name"] = name_of(node);
      rows.back().push_back(name_of(node));
    }
    document["results"].push_back(std::move(entry));
  }
  if (json)
    fmt::print("{}\n", document.dump(2));
  else
    print_table(rows);
}

/// Writes the lists of many and says so. Returns the exit code.
int write_many(const TopLists& lists, const ListFlags& flags, const Common& common,
               ThreadPool& pool) {
  StatusLine status;
  ListFileOptions options;
  options.out = flags.out;
  options.resume = flags.resume;
  options.with_names = !flags.names.empty();
  if (options.with_names) options.names = read_names(flags.names);
  options.interrupted = &interrupted_by_signal();
  if (!common.quiet)
    options.progress = [&](std::int64_t done, std::int64_t all) {
      if (!status.is_due()) return;
      const double share = static_cast<double>(done) / static_cast<double>(all);
      status.draw({{fmt::format("{:.0f}%", 100 * share), 0},
                   {"", 2, Terminal::kCyan, share},
                   {fmt::format("{} of {} lists", done, all), 1}});
    };
  const bool finished = write_lists(lists, options, pool);
  status.clear();
  if (!finished) {
    print_note("mcns: interrupted; the same command with --resume continues");
    return kInterrupted;
  }
  if (common.json) {
    const nlohmann::ordered_json document{{"lists", lists.size()},
                                          {"k", lists.k()},
                                          {"popular", lists.popular_lists()},
                                          {"out", flags.out}};
    fmt::print("{}\n", document.dump(2));
  } else if (!common.quiet) {
    fmt::print("{}: {} lists of {}\n", flags.out, lists.size(), lists.k());
    if (lists.popular_lists() > 0)
      print_note(
          fmt::format("mcns: note: users that are unknown or have no training pairs: {}; they get "
                      "the popular items, "
                      "marked as such",
                      lists.popular_lists()));
  }
  return 0;
}

void check_flags(const ListFlags& flags, const char* one, const char* file) {
  const int ways = (flags.id.empty() ? 0 : 1) + (flags.all ? 1 : 0) + (flags.file.empty() ? 0 : 1) +
                   (flags.items.empty() ? 0 : 1);
  const char* items = std::string_view(one) == "--user" ? ", --items A,B,..." : "";
  require(ways == 1, "give one of {} ID, {} FILE, --all{}; got {}", one, file, items, ways);
  require(!flags.many() || !flags.out.empty(),
          "--all and {} need --out FILE, a name that ends in .tsv, .jsonl or .npz", file);
  require(flags.many() || flags.out.empty(), "--out is for --all and {}", file);
  require(flags.many() || !flags.resume, "--resume is for --all and {}", file);
  if (!flags.out.empty()) check_list_name(flags.out);
}

/// The list of somebody who is not in the model but has these items.
void recommend_new(const LoadedModel& model, const EmbeddingView& tables, const ListFlags& flags,
                   bool json, ThreadPool& pool) {
  std::vector<NodeId> items;
  for (const auto& id : split_fields(flags.items, ","))
    if (!id.empty())
      items.push_back(
          find_node(model, id, model.graph.targets(), fmt::format("item '{}' (--items)", id)));
  std::ranges::sort(items);
  items.erase(std::unique(items.begin(), items.end()), items.end());
  require(!items.empty(), "--items {}: expected ids of items, with commas between them",
          flags.items);
  const Matrix vector = fold_in(tables, model.graph, items);
  const std::vector<NodeId> first_row = {0};
  const auto best = best_targets_of_one({.source = vector.view(),
                                         .target = tables.target,
                                         .among = model.graph.targets(),
                                         .sources = first_row,
                                         .left_out = items,
                                         .itself = true,
                                         .k = flags.k},
                                        pool);
  print_list(model, "items", flags.items, best, flags, json);
}

int recommend(const ListFlags& flags, const Common& common) {
  check_flags(flags, "--user", "--users");
  ThreadPool pool(common.threads);
  const LoadedModel model = load_model_directory(flags.model);
  const EmbeddingView tables = saved_score_tables(model, flags.model);
  const NodeRange users = model.graph.sources();
  if (!flags.items.empty()) {
    recommend_new(model, tables, flags, common.json, pool);
    return 0;
  }
  if (flags.many()) {
    Askers askers = flags.all ? all_askers(users) : read_askers(flags.file, model.names, users);
    return write_many(TopLists::of_items(model, tables, std::move(askers), flags.k), flags, common,
                      pool);
  }
  const char* kind = model.graph.is_bipartite() ? "user" : "node";
  const std::vector<NodeId> user = {
      find_node(model, flags.id, users,
                fmt::format("{} '{}' (--items gives the list of somebody new)", kind, flags.id))};
  const auto best = best_targets_of_one({.source = tables.source,
                                         .target = tables.target,
                                         .among = model.graph.targets(),
                                         .sources = user,
                                         .known = &model.graph,
                                         .left_out = {},
                                         .k = flags.k},
                                        pool);
  print_list(model, "user", flags.id, best, flags, common.json);
  return 0;
}

/// Where a node has its neighbours: among its own kind on user-item graphs.
NodeRange range_of(const LoadedModel& model, const ListFlags& flags) {
  const Graph& graph = model.graph;
  require(flags.kind.empty() || graph.is_bipartite(), "--kind is for user-item graphs");
  if (flags.kind == "user") return graph.sources();
  // A name may be on both sides; items come first.
  const bool user =
      flags.kind.empty() && !flags.id.empty() && !model.names.find(flags.id, graph.targets());
  return user ? graph.sources() : graph.targets();
}

int neighbors(const ListFlags& flags, const Common& common) {
  check_flags(flags, "--node", "--nodes");
  ThreadPool pool(common.threads);
  const LoadedModel model = load_model_directory(flags.model);
  const NodeRange range = range_of(model, flags);
  // With two tables the items of a user-item graph have their vectors in the second.
  const bool items = model.graph.is_bipartite() && range == model.graph.targets();
  const EmbeddingView tables = saved_score_tables(model, flags.model);
  const ConstMatrixRef table = items ? tables.target : tables.source;
  const auto lists = [&](Askers askers) {
    return TopLists::of_neighbors(model, table, range, std::move(askers), flags.k);
  };
  if (flags.many()) {
    Askers askers = flags.all ? all_askers(range) : read_askers(flags.file, model.names, range);
    if (!askers.unknown.empty())
      throw_bad_data(flags.file, 0,
                     fmt::format("the model has no {} '{}'; nodes.tsv lists them",
                                 flags.kind.empty() ? "node" : flags.kind, askers.unknown[0]));
    return write_many(lists(std::move(askers)), flags, common, pool);
  }
  const NodeId node = find_node(model, flags.id, range, fmt::format("node '{}'", flags.id));
  const TopLists one = lists(Askers{{node}, {}});
  std::vector<ScoredNode> best(one.k());
  one.fill(0, 1, pool, best);
  std::erase(best, kNoNode);
  print_list(model, "node", flags.id, best, flags, common.json);
  return 0;
}

struct Words {
  const char *name, *help, *one, *file, *file_help, *all_help;
};

CLI::App* add(CLI::App& root, ListFlags& flags, const Words& words) {
  CLI::App* command = root.add_subcommand(words.name, words.help);
  command->add_option("model", flags.model, "model directory")->required();
  command->add_option(words.one, flags.id, "its id, as in nodes.tsv")->type_name("ID");
  command->add_option(words.file, flags.file, words.file_help)->type_name("FILE");
  command->add_flag("--all", flags.all, words.all_help);
  command->add_option("-k", flags.k, "number of results")
      ->type_name("INT")
      ->capture_default_str()
      ->check(whole_number<std::size_t>(1, std::numeric_limits<NodeId>::max()));
  command
      ->add_option("--names", flags.names,
                   "file with readable names: id and name, as in movies.csv; they stand beside ids")
      ->type_name("FILE");
  command
      ->add_option("--out", flags.out, "file to write: .tsv (also .tsv.gz, .zst), .jsonl or .npz")
      ->type_name("FILE");
  command->add_flag("--resume", flags.resume,
                    "keep what an interrupted call has left in OUT.partial");
  return command;
}

}  // namespace

void add_recommend(CLI::App& root, Session& session) {
  auto flags = std::make_shared<ListFlags>();
  CLI::App* command =
      add(root, *flags,
          {"recommend", "items with the highest scores for users, without those of training",
           "--user", "--users",
           "file with a user id per line; unknown users get the popular items, marked as such",
           "all users of the model"});
  command->add_option("--items", flags->items, "somebody new, by the ids of their items")
      ->type_name("A,B,...");
  const auto common = add_common(*command,
                                 "  mcns recommend model --user git -k 10\n"
                                 "  mcns recommend model --all -k 20 --out recs.tsv\n"
                                 "  mcns recommend model --users new.txt --names films.csv --out "
                                 "recs.jsonl\n"
                                 "  mcns recommend model --items zlib1g,libpng16-16 -k 5\n");
  command->callback([=, &session] { session.exit_code = recommend(*flags, *common); });
}

void add_neighbors(CLI::App& root, Session& session) {
  auto flags = std::make_shared<ListFlags>();
  CLI::App* command = add(
      root, *flags,
      {"neighbors", "nearest nodes of nodes by cosine similarity", "--node", "--nodes",
       "file with a node id per line", "all nodes; all items of a user-item graph, or see --kind"});
  command
      ->add_option("--kind", flags->kind,
                   "user-item graphs: neighbours among users or among items; default: item, or "
                   "user where --node is none")
      ->type_name("{user,item}")
      ->check(unnamed(CLI::IsMember({"user", "item"})));
  const auto common = add_common(*command,
                                 "  mcns neighbors model --node libpng16-16 -k 10\n"
                                 "  mcns neighbors model --all -k 20 --out near.tsv\n"
                                 "  mcns neighbors model --nodes some.txt --out near.npz\n");
  command->callback([=, &session] { session.exit_code = neighbors(*flags, *common); });
}

}  // namespace mcns::cli

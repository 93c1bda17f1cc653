// mcns recommend: the best items for a user.   mcns neighbors: the nearest nodes of a node.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "mcns/core/error.h"
#include "mcns/eval/top_k.h"
#include "mcns/io/model_directory.h"

#include "cli/command.h"
#include "cli/table.h"

namespace mcns::cli {
namespace {

NodeId find_node(const LoadedModel& model, const std::string& id, NodeRange range,
                 const char* kind) {
  const auto row = model.names.find(id, range);
  require(row.has_value(), "the model has no {} '{}'; nodes.tsv lists them", kind, id);
  return *row;
}

void print(const LoadedModel& model, const std::string& key, const std::string& id,
           const std::vector<ScoredNode>& best, bool json) {
  if (json) {
    nlohmann::ordered_json out{{key, id}, {"results", nlohmann::ordered_json::array()}};
    for (const auto& [node, score] : best)
      out["results"].push_back({{"id", model.names.name(node)}, {"score", score}});
    fmt::print("{}\n", out.dump(2));
    return;
  }
  std::vector<std::vector<std::string>> rows = {{"rank", "id", "score"}};
  for (std::size_t i = 0; i < best.size(); ++i)
    rows.push_back({std::to_string(i + 1), model.names.name(best[i].node),
                    fmt::format("{:.4f}", best[i].score)});
  print_table(rows);
}

void recommend(const std::string& path, const std::string& id, std::size_t k, bool json) {
  const LoadedModel model = load_model_directory(path);
  const Graph& graph = model.graph;
  const NodeId user = find_node(model, id, graph.sources(), graph.is_bipartite() ? "user" : "node");
  const Scorer scorer{model.embeddings.view(),
                      model.context.empty() ? model.embeddings.view() : model.context.view()};
  print(model, "user", id, best_targets(graph, scorer, user, k), json);
}

void neighbors(const std::string& path, const std::string& id, std::size_t k, bool json) {
  const LoadedModel model = load_model_directory(path);
  const Graph& graph = model.graph;
  // On user-item graphs: among the node's own kind, where a name may be on both sides.
  NodeRange range = graph.targets();
  if (!model.names.find(id, range)) range = graph.sources();
  const NodeId node = find_node(model, id, range, "node");
  print(model, "node", id, nearest_nodes(model.embeddings.view(), node, range, k), json);
}

using Action = void (*)(const std::string&, const std::string&, std::size_t, bool);

void add(CLI::App& root, const char* name, const char* flag, const char* help, const char* examples,
         Action action) {
  CLI::App* command = root.add_subcommand(name, help);
  struct Flags {
    std::string model, id;
    std::size_t k = 10;
  };
  auto flags = std::make_shared<Flags>();
  command->add_option("model", flags->model, "model directory")->required();
  command->add_option(flag, flags->id, "its id, as in nodes.tsv")->type_name("ID")->required();
  command->add_option("-k", flags->k, "number of results")
      ->type_name("INT")
      ->capture_default_str()
      ->check(unnamed(CLI::PositiveNumber));
  const auto common = add_common(*command, examples);
  command->callback([=] { action(flags->model, flags->id, flags->k, common->json); });
}

}  // namespace

void add_recommend(CLI::App& root, Session&) {
  add(root, "recommend", "--user",
      "items with the highest scores for a user, without those of training",
      "  mcns recommend model --user git -k 10\n", recommend);
}

void add_neighbors(CLI::App& root, Session&) {
  add(root, "neighbors", "--node", "nearest nodes of a node by cosine similarity",
      "  mcns neighbors model --node libpng16-16 -k 10\n", neighbors);
}

}  // namespace mcns::cli

// --preset paper against experiments/paper/*.toml: every setting, for every model and sampler, on a
// graph of the size that the paper gives.
#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "mcns/plan/defaults.h"
#include "mcns/plan/plan.h"
#include "mcns/reproduce/spec.h"

#include "tests/graph_support.h"
#include "tests/paths.h"

namespace mcns {
namespace {

/// As many nodes and edges as the file says, anyhow connected.
Graph graph_of(const PaperSettings& file, Task task) {
  const NodeId nodes = std::stoi(file.at("nodes"));
  const auto edges = static_cast<NodeId>(std::stoi(file.at("edges")));
  const NodeId users = task == Task::kRecommend ? std::stoi(file.at("users")) : 0;
  std::vector<Pair> pairs;
  for (NodeId i = 0; i < edges; ++i) {
    const NodeId round = i / (users > 0 ? users : nodes);
    if (users > 0)
      pairs.push_back({i % users, users + (i + round * 7) % (nodes - users)});
    else
      pairs.push_back({i % nodes, (i + 1 + round) % nodes});
  }
  return make_graph(std::move(pairs), nodes,
                    {users > 0 ? GraphKind::kBipartite : GraphKind::kUndirected, users});
}

std::set<std::string> models_of(const PaperSettings& file) {
  std::set<std::string> out;
  for (const auto& [name, value] : file)
    if (name.starts_with("model.")) out.insert(name.substr(6, name.find('.', 6) - 6));
  return out;
}

/// Common settings, then the model's, the sampler's, and those of both.
PaperSettings expected(const PaperSettings& file, const std::string& model,
                       const std::string& sampler) {
  PaperSettings out;
  for (const std::string& prefix :
       {std::string("settings."), "model." + model + ".", "sampler." + sampler + ".",
        "both." + model + "." + sampler + "."})
    for (const auto& [name, value] : file)
      if (name.starts_with(prefix)) out[name.substr(prefix.size())] = value;
  return out;
}

std::set<std::string> unused(const PaperSettings& file, const std::string& sampler) {
  std::set<std::string> out;
  const auto found = file.find("unused." + sampler);
  if (found == file.end()) return out;
  std::istringstream names(found->second);
  for (std::string name; std::getline(names, name, ',');) out.insert(name);
  return out;
}

void compare_plan(const PaperSettings& file, const Plan& plan, const std::string& model,
                  const std::string& sampler) {
  const std::string where = model + " " + sampler;
  PaperSettings wanted = expected(file, model, sampler);
  const auto ignored = unused(file, sampler);
  for (const Setting& setting : plan.settings) {
    if (setting.name == "model" || setting.name == "preset" || setting.name == "sampler" ||
        ignored.contains(setting.name))
      continue;
    const auto line = wanted.find(setting.name);
    if (line == wanted.end()) {
      ADD_FAILURE() << where << ": " << setting.name << " = " << setting.value
                    << " is not in the file";
      continue;
    }
    EXPECT_EQ(setting.value, line->second) << where << ": " << setting.name;
    wanted.erase(line);
  }
  for (const auto& [name, value] : wanted)
    ADD_FAILURE() << where << ": the plan has no " << name << " = " << value;
}

class PaperSettingsOf : public testing::TestWithParam<const char*> {};

TEST_P(PaperSettingsOf, AreWhatThePresetResolvesTo) {
  const PaperSettings file = read_paper_settings(std::string(kSourceFolder) +
                                                 "/experiments/paper/" + GetParam() + ".toml");
  const Task task = parse_task(file.at("task"));
  const Graph graph = graph_of(file, task);
  ASSERT_EQ(graph.num_edges(), std::stoi(file.at("edges")));
  for (const std::string& model : models_of(file))
    for (const char* sampler :
         {"degree", "wrmf", "rns", "pinsage", "warp", "dns", "irgan", "kbgan", "mcns"}) {
      TrainOptions options;
      options.model = model;
      options.sampler = sampler;
      options.preset = "paper";
      compare_plan(file, make_plan(options, task, graph), model, sampler);
    }
  // Without a sampler it is MCNS.
  TrainOptions options;
  options.model = *models_of(file).begin();
  options.preset = "paper";
  const Plan plan = make_plan(options, task, graph);
  compare_plan(file, plan, *options.model, "mcns");
  if (task != Task::kRecommend) return;
  const auto candidates =
      find_default("candidates", task, {{"preset", "paper"}, {"edges", file.at("edges")}});
  ASSERT_TRUE(candidates);
  EXPECT_EQ(candidates->value, file.at("candidates"));
}

INSTANTIATE_TEST_SUITE_P(Datasets, PaperSettingsOf,
                         testing::Values("movielens", "amazon", "alibaba", "arxiv", "blogcatalog"));

/// The tables of experiments on a graph of the size of the substitute, which is smaller than the
/// data that the preset knows the paper's sizes by.
class SubstituteOf : public testing::TestWithParam<std::tuple<const char*, int, int, int>> {};

TEST_P(SubstituteOf, HasThePapersSettings) {
  const auto [name, users, items, edges] = GetParam();
  const std::string folder = std::string(kSourceFolder) + "/experiments";
  const PaperSettings file = read_paper_settings(fmt::format("{}/paper/{}.toml", folder, name));
  const ExperimentSpec table = read_experiment(folder, "table-recommend");
  const Graph graph = graph_of({{"nodes", std::to_string(users + items)},
                                {"edges", std::to_string(edges)},
                                {"users", std::to_string(users)}},
                               Task::kRecommend);
  int cells = 0;
  for (const CellSpec& cell : table.cells) {
    if (cell.dataset != name || cell.kind != "paper") continue;
    ++cells;
    const Experiment one = cell_experiment(table, cell, 1);
    EXPECT_EQ(std::to_string(*one.split.candidates), file.at("candidates"));
    const std::string sampler = component_name(*one.train.sampler);
    const PaperSettings wanted = expected(file, cell.model, sampler);
    // Positives follow the size of the graph, and the control has others.
    for (const Setting& setting : make_plan(one.train, Task::kRecommend, graph).settings)
      if (const auto line = wanted.find(setting.name);
          line != wanted.end() && !setting.name.starts_with("positives"))
        EXPECT_EQ(setting.value, line->second) << cell.name() << ": " << setting.name;
  }
  EXPECT_EQ(cells, 2 * 10);
}

INSTANTIATE_TEST_SUITE_P(Datasets, SubstituteOf,
                         testing::Values(std::tuple("alibaba", 48749, 39493, 211022),
                                         std::tuple("amazon", 20247, 11589, 244630)));

TEST(PaperPreset, NegativeMarginsAreForTheHingeLoss) {
  const Graph graph = random_graph(GraphKind::kBipartite, 40, 100, 1);
  TrainOptions options;
  options.preset = "paper";
  options.margin = -0.2;
  EXPECT_EQ(*make_plan(options, Task::kRecommend, graph).options.margin, -0.2);
  options.loss = "softmax";
  EXPECT_THROW(make_plan(options, Task::kRecommend, graph), Error);
}

}  // namespace
}  // namespace mcns

// Defaults of a run by model, task, sampler and graph. Given settings are never replaced.
#include <gtest/gtest.h>

#include "mcns/plan/defaults.h"
#include "mcns/plan/plan.h"

#include "tests/graph_support.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

Graph ring(NodeId nodes, BuildOptions options = {}, NodeId linked = 0) {
  std::vector<Pair> pairs;
  if (linked == 0) linked = nodes;
  for (NodeId v = 0; v < linked; ++v) pairs.push_back({v, (v + 1) % linked});
  return make_graph(pairs, nodes, options);
}

Graph user_item() { return make_graph({{0, 2}, {1, 3}}, 4, {GraphKind::kBipartite, 2}); }

/// "value (from)"; "none" where there is no such setting.
std::string setting(const Plan& plan, const std::string& name) {
  const Setting* found = find_setting(plan.settings, name);
  return found == nullptr ? "none" : found->value + " (" + origin_name(found->from) + ")";
}

TEST(Defaults, AModelIsWhatItsTaskWantsAndThePresetIsThePapers) {
  const Graph graph = ring(3);
  const auto plan = [&](const char* model, Task task, bool paper = false) {
    TrainOptions options;
    options.model = model;
    if (paper) options.preset = "paper";
    return make_plan(options, task, graph);
  };
  EXPECT_EQ(setting(plan("gcn", Task::kLinkpred), "encoder"), "gcn (preset)");
  EXPECT_EQ(setting(plan("gcn", Task::kLinkpred), "encoder.length"), "3 (default)");
  EXPECT_EQ(setting(plan("gcn", Task::kLinkpred, true), "encoder.length"), "0 (preset)");
  EXPECT_EQ(setting(plan("gcn", Task::kClassify), "encoder.residual"), "true (default)");
  EXPECT_EQ(setting(plan("gcn", Task::kClassify), "loss"), "softmax (default)");
  EXPECT_EQ(setting(plan("graphsage", Task::kLinkpred), "encoder.length"), "0 (default)");
  EXPECT_EQ(setting(plan("graphsage", Task::kClassify, true), "encoder.residual"),
            "false (preset)");
  EXPECT_EQ(setting(plan("lightgcn", Task::kClassify), "encoder.residual"), "none");
  EXPECT_EQ(setting(plan("line", Task::kClassify), "positives"), "edges (preset)");
  const Plan paper = plan("gcn", Task::kLinkpred, true);
  EXPECT_EQ(setting(paper, "dim"), "256 (preset)");
  EXPECT_EQ(setting(paper, "batch"), "256 (preset)");
  EXPECT_EQ(setting(paper, "loss"), "hinge (preset)");
  EXPECT_EQ(setting(paper, "epochs"), "60 (preset)");
}

/// A setting without a row for some task would leave a hole in the plan.
TEST(Defaults, ClassificationIsASoftmaxWithOneTableButNotThatOfDeepWalk) {
  const Graph graph = ring(3);
  const auto loss_and_tables = [&](const TrainOptions& options) {
    const Plan plan = make_plan(options, Task::kClassify, graph);
    return setting(plan, "loss") + ", " + setting(plan, "tables");
  };
  EXPECT_EQ(loss_and_tables({}), "softmax (default), 1 (default)");
  EXPECT_EQ(loss_and_tables({.loss = "logistic"}), "logistic (given), 2 (default)");
  for (const char* model : {"deepwalk", "line", "node2vec"}) {
    TrainOptions options;
    options.model = model;
    EXPECT_EQ(loss_and_tables(options), "logistic (preset), 2 (default)") << model;
  }
}

TEST(Defaults, EveryOptionHasAValueForEveryTask) {
  for (const std::string& name : task_names()) {
    const Task task = parse_task(name);
    const Plan plan = make_plan({}, task, task == Task::kRecommend ? user_item() : ring(5));
    for_each_option(plan.options, [&](const auto& field, const OptionInfo& info) {
      if (info.name == "model" || info.name == "preset" || info.name == "features") return;
      EXPECT_TRUE(field.has_value()) << "--" << info.name << " for --task " << name;
    });
  }
}

/// A bare name fixes the component; preset and default fill its parameters, never what was written.
TEST(Defaults, TheUsersWordWins) {
  const Graph graph = ring(3);
  TrainOptions options;
  options.sampler = "mcns";
  options.preset = "paper";
  options.dim = 100;
  Plan plan = make_plan(options, Task::kLinkpred, graph);
  EXPECT_EQ(setting(plan, "sampler"), "mcns (given)");
  EXPECT_EQ(setting(plan, "sampler.form"), "paper (preset)");
  EXPECT_EQ(setting(plan, "sampler.alpha"), "0.25 (default)");
  EXPECT_EQ(setting(plan, "sampler.steps"), "1 (default)");
  EXPECT_EQ(setting(plan, "dim"), "100 (given)");
  EXPECT_EQ(plan.chosen("sampler"), "mcns:form=paper");
  options.sampler = "mcns:form=exp,pool=8";
  plan = make_plan(options, Task::kLinkpred, graph);
  EXPECT_EQ(setting(plan, "sampler.form"), "exp (given)");
  EXPECT_EQ(setting(plan, "sampler.pool"), "8 (given)");
  EXPECT_EQ(plan.chosen("sampler"), "mcns:form=exp,pool=8");
  plan = make_plan({.positives = "node2vec:p=2"}, Task::kLinkpred, graph);
  EXPECT_EQ(setting(plan, "positives.p"), "2 (given)");
  EXPECT_EQ(setting(plan, "positives.q"), "0.5 (default)");
  plan = make_plan({.sampler = "dns", .lr = 0.5}, Task::kRecommend, user_item(),
                   builtin_components(), {"lr"});
  EXPECT_EQ(setting(plan, "lr"), "0.5 (config)");
  EXPECT_EQ(setting(plan, "sampler"), "dns (given)");
}

/// Nodes without a link do not change any setting.
TEST(Defaults, NothingIsInferredFromIsolatedNodes) {
  const Graph graph = ring(160, {}, 150);
  const Plan plan = make_plan({.sampler = "mcns"}, Task::kLinkpred, graph);
  EXPECT_EQ(setting(plan, "sampler"), "mcns (given)");
  EXPECT_EQ(setting(plan, "sampler.power"), "0 (default)");
  EXPECT_EQ(setting(plan, "sampler.hardness"), "2 (default)");
  EXPECT_EQ(setting(plan, "positives.teleport"), "0 (default)");
}

TEST(Defaults, FollowSamplerLossAndGraph) {
  const Graph pairs = user_item(), graph = ring(4),
              directed = ring(4, {.kind = GraphKind::kDirected});
  const auto of = [](const Graph& g, Task task, const TrainOptions& given, const char* name) {
    return setting(make_plan(given, task, g), name);
  };
  EXPECT_EQ(of(pairs, Task::kRecommend, {}, "similarity"), "cosine (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "rns"}, "negatives"), "shared:512 (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.encoder = "gcn"}, "similarity"), "dot (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "dns"}, "similarity"), "dot (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "rns", .loss = "bpr"}, "negatives"),
            "1 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {}, "sampler"), "rns (default)");
  EXPECT_EQ(of(directed, Task::kLinkpred, {}, "sampler"), "mcns (default)");
  EXPECT_EQ(of(graph, Task::kClassify, {}, "sampler"), "degree (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "dns"}, "negatives"), "3 (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "dns"}, "l2"), "0.08 (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "dns", .negatives = 1}, "l2"),
            "0.04 (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "rns"}, "batch"), "1024 (default)");
  EXPECT_EQ(of(pairs, Task::kRecommend, {.sampler = "mcns:steps=2"}, "sampler.hops"),
            "2 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.sampler = "mcns:steps=2"}, "sampler.hops"), "1 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.loss = "hinge"}, "margin"), "0.1 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.encoder = "gcn"}, "margin"), "3 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.encoder = "gcn", .loss = "bpr"}, "margin"), "0 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.encoder = "gcn"}, "encoder.fanout"), "all (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {.encoder = "gcn", .dim = 48}, "encoder.hidden"),
            "48 (default)");
  EXPECT_EQ(of(graph, Task::kLinkpred, {}, "scores"), "in-in (default)");
  EXPECT_EQ(of(directed, Task::kLinkpred, {}, "scores"), "in-out (default)");
  EXPECT_EQ(of(directed, Task::kLinkpred, {}, "tables"), "2 (default)");
  EXPECT_EQ(setting(make_plan({}, std::nullopt, graph), "filter"), "train (default)");
  EXPECT_EQ(setting(make_plan({}, Task::kClassify, graph), "filter"), "none (default)");
}

TEST(Defaults, WhatCannotBeHonouredIsRefused) {
  const Graph graph = ring(4), pairs = user_item();
  const auto message = [](const Graph& g, const TrainOptions& given) {
    return error_of(ErrorKind::kUsage, [&] { make_plan(given, Task::kLinkpred, g); });
  };
  EXPECT_TRUE(contains(message(pairs, {.tables = 2}), "--tables 2"));
  EXPECT_TRUE(contains(message(graph, {.encoder = "gcn", .tables = 2}), "--tables 2"));
  EXPECT_TRUE(contains(message(graph, {.encoder = "gcn", .update = "async"}), "--update async"));
  EXPECT_TRUE(contains(message(graph, {.features = "f.npy"}), "--features"));
  EXPECT_TRUE(contains(message(graph, {.loss = "bpr", .log_q = "on"}), "--log-q"));
  EXPECT_TRUE(contains(message(graph, {.model = "deepwolk"}), "did you mean 'deepwalk'"));
  EXPECT_TRUE(contains(message(graph, {.sampler = "mcns:hardnes=3"}), "hardness"));
  EXPECT_TRUE(contains(message(graph, {.sampler = "mix:0.5*rns+0.5*dnss"}), "did you mean 'dns'"));
  EXPECT_TRUE(contains(message(graph, {.sampler = "mix"}), "lacks a sampler"));
  EXPECT_TRUE(contains(message(graph, {.dim = 0}), "--dim must be an integer in [1, 65536]"));
  EXPECT_TRUE(contains(message(graph, {.schedule = "cosine"}), "value of --schedule"));
}

/// The table names only settings and parameters that exist, and its formulas can be evaluated.
TEST(Defaults, EveryRowIsOfSomethingThatExists) {
  for (const Task task : {Task::kRecommend, Task::kLinkpred, Task::kClassify})
    for (const std::string& model : model_names())
      for (const bool paper : {false, true}) {
        TrainOptions options;
        options.model = model;
        if (paper) options.preset = "paper";
        EXPECT_NO_THROW(make_plan(options, task, task == Task::kRecommend ? user_item() : ring(9)))
            << model;
      }
}

}  // namespace
}  // namespace mcns

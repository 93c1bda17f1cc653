// What a run takes where nothing is said: by model, task and graph.
#include <gtest/gtest.h>

#include "mcns/plan/options.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

TEST(Defaults, AModelIsWhatItsTaskWantsAndThePresetIsThePapers) {
  const Graph ring = make_graph({{0, 1}, {1, 2}, {2, 0}}, 3);
  const auto resolved = [&](const char* model, Task task, const char* preset = "") {
    TrainOptions options;
    options.model = model;
    options.preset = preset;
    resolve_options(options, task, ring);
    return options;
  };
  EXPECT_EQ(*resolved("gcn", Task::kLinkpred).encoder, "gcn:length=3");
  EXPECT_EQ(*resolved("gcn", Task::kClassify).encoder, "gcn:residual=true");
  EXPECT_EQ(*resolved("gcn", Task::kClassify).loss, "softmax");
  EXPECT_EQ(*resolved("graphsage", Task::kLinkpred).encoder, "graphsage");
  EXPECT_EQ(*resolved("graphsage", Task::kClassify).encoder, "graphsage:residual=true");
  EXPECT_EQ(*resolved("graphsage", Task::kClassify, "paper").encoder, "graphsage");
  EXPECT_EQ(*resolved("lightgcn", Task::kClassify).encoder, "lightgcn");
  const TrainOptions paper = resolved("gcn", Task::kLinkpred, "paper");
  EXPECT_EQ(*paper.encoder, "gcn");
  EXPECT_EQ(*paper.dim, 256);
  EXPECT_EQ(*paper.batch, 256);
  EXPECT_EQ(*paper.loss, "hinge");
}

/// Nodes without a link tell that links were hidden at random. What the user asks for stays.
TEST(Defaults, LinksHiddenAtRandomGetJumpsAndNegativesByDegree) {
  std::vector<Pair> ring;
  for (NodeId v = 0; v < 150; ++v) ring.push_back({v, (v + 1) % 150});
  const Graph whole = make_graph(ring, 150), nearly = make_graph(ring, 151),
              bare = make_graph(ring, 160),
              directed = make_graph(ring, 160, {.kind = GraphKind::kDirected});
  const auto resolved = [&](const Graph& graph, TrainOptions options = {},
                            Task task = Task::kLinkpred) {
    resolve_options(options, task, graph);
    return *options.positives + " " + *options.sampler;
  };
  const std::string walks = "node2vec:walks=2,length=40,window=20,share=false";
  const std::string plain = walks + ",p=4,q=0.5 mcns",
                    jumps = walks + ",teleport=0.02,p=4,q=0.5 mcns:power=0.75,hardness=2";
  EXPECT_EQ(resolved(whole), plain);
  EXPECT_EQ(resolved(nearly), plain) << "a node or two may have lost a loop";
  EXPECT_EQ(resolved(bare), jumps);
  EXPECT_EQ(resolved(directed), jumps);
  EXPECT_EQ(resolved(bare, {.model = "deepwalk"}),
            "walks:walks=2,length=40,window=20,share=false,teleport=0.02 "
            "mcns:power=0.75,hardness=2");
  EXPECT_EQ(resolved(bare, {.sampler = "rns"}), walks + ",p=4,q=0.5 rns");
  EXPECT_EQ(resolved(bare, {.sampler = "mcns:hardness=5"}), walks + ",p=4,q=0.5 mcns:hardness=5");
  EXPECT_EQ(resolved(bare, {.positives = "edges"}), "edges mcns");
  EXPECT_EQ(resolved(bare, {.preset = "paper", .sampler = "mcns"}), plain);
  EXPECT_EQ(resolved(bare, {}, Task::kClassify), "walks:walks=10,length=40,window=10 mcns");
}

}  // namespace
}  // namespace mcns

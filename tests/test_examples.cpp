// The components of examples/ in a registry of their own: found, listed, self-tested, counted,
// trained by name, while the built-in registry stays as it is.
#include <gtest/gtest.h>

#include "mcns/core/describe.h"
#include "mcns/plan/components.h"
#include "mcns/theory/selftest.h"
#include "mcns/train/experiment.h"

#include "examples/components.h"
#include "tests/dense_reference.h"
#include "tests/test_io_files.h"
#include "tests/train_support.h"

namespace mcns {
namespace {

using namespace mcns::testing;

Components with_examples() {
  Components all = builtin_components();
  all.samplers.add(two_hop_sampler());
  all.encoders.add(mean_encoder());
  return all;
}

TEST(Examples, AreFoundAndListedInTheCopyAlone) {
  const Components all = with_examples();
  EXPECT_EQ(all.samplers.size(), builtin_samplers().size() + 1);
  EXPECT_EQ(all.encoders.size(), builtin_encoders().size() + 1);
  EXPECT_EQ(all.samplers.find("two-hop:share=0.25").name, "two-hop");
  EXPECT_TRUE(
      contains(describe(all.samplers),
               "two-hop           a node two random steps from the positive, or a uniform one\n"
               "  share             of walks among the draws; number in [0, 1], default "
               "0.5\n"));
  EXPECT_TRUE(contains(describe(all.encoders), "weight of the neighbours; number in [0, 100]"));
  const std::string unknown =
      error_of(ErrorKind::kUsage, [] { builtin_components().samplers.find("two-hop"); });
  EXPECT_TRUE(contains(unknown, "two-hop")) << unknown;
  error_of(ErrorKind::kUsage, [] { builtin_components().encoders.find("mean"); });
}

TEST(Examples, ANameThatExistsIsRefused) {
  Components all = with_examples();
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { all.samplers.add(two_hop_sampler()); }),
                       "there is a sampler called 'two-hop' already"));
  EncoderEntry entry = mean_encoder();
  entry.name = "lookup";
  error_of(ErrorKind::kUsage, [&] { all.encoders.add(entry); });
  EXPECT_EQ(all.samplers.size(), builtin_samplers().size() + 1);
}

TEST(Examples, SelftestHoldsForTheSampler) {
  ThreadPool pool(2);
  const SamplerRegistry only("sampler", {two_hop_sampler()});
  const auto rows = selftest_samplers(1, pool, only);
  ASSERT_EQ(rows.size(), 1);
  for (const SelftestRow& row : rows) {
    EXPECT_EQ(row.name, "two-hop");
    EXPECT_TRUE(row.holds) << row.spec << ", p-value " << row.p_value.value();
  }
}

/// A sampler that says it is two-hop and draws something else must not hold.
TEST(Examples, SelftestFindsAWrongSampler) {
  ThreadPool pool(1);
  SamplerEntry wrong = two_hop_sampler();
  wrong.make = [](const Parameters&, const SamplerContext& context) {
    return make_sampler("rns", {context.graph, context.exclusion, context.dim, 1, 1, context.pool,
                                nullptr, &builtin_samplers()});
  };
  EXPECT_FALSE(all_hold(selftest_samplers(1, pool, SamplerRegistry("sampler", {wrong}))));
}

Experiment linkpred(const ScratchFolder& folder, const Components& components) {
  std::string edges;
  const Graph graph = random_graph(GraphKind::kUndirected, 60, 300, 3);
  for (const Pair pair : edge_list(graph).pairs)
    edges += std::to_string(pair.source) + '\t' + std::to_string(pair.target) + '\n';
  Experiment experiment;
  experiment.task = Task::kLinkpred;
  experiment.files.train = folder.write("edges.tsv", edges);
  experiment.train.encoder = "mean:share=0.5";
  experiment.train.sampler = "two-hop:share=0.25";
  experiment.train.dim = 12;
  experiment.train.epochs = 2;
  experiment.train.batch = 64;
  experiment.components = &components;
  return experiment;
}

TEST(Examples, TrainByNameWithTheSameBitsForAnyThreads) {
  const ScratchFolder folder;
  const Components all = with_examples();
  Experiment experiment = linkpred(folder, all);
  std::string first;
  for (const int threads : {1, 3}) {
    experiment.threads = threads;
    experiment.output.out = folder.path("out" + std::to_string(threads));
    const ExperimentResult result = run_experiment(experiment, {});
    EXPECT_TRUE(result.finished);
    EXPECT_GT(value_of(result.test, "auc"), 0);
    std::ifstream in(experiment.output.out + "/embeddings.npy", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_GT(bytes.size(), 60 * 12 * sizeof(float));
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads << " threads";
  }
}

TEST(Examples, ThePlanCountsTheirMemory) {
  const ScratchFolder folder;
  Components all = with_examples();
  const auto part = [&](const std::string& name) {
    for (const MemoryPart& p : plan_experiment(linkpred(folder, all)).memory)
      if (p.what == name) return p;
    ADD_FAILURE() << "no part " << name;
    return MemoryPart{};
  };
  EXPECT_EQ(part("parameters").bytes, 60 * 16 * sizeof(float));
  EXPECT_EQ(part("tables").bytes, 60 * 16 * sizeof(float));
  EXPECT_EQ(part("sampler").how, "no tables");

  EncoderEntry silent = mean_encoder();  // an entry need not know its bytes
  silent.name = "silent";
  silent.bytes = nullptr;
  all.encoders.add(silent);
  Experiment experiment = linkpred(folder, all);
  experiment.train.encoder = "silent";
  EXPECT_GT(total_bytes(plan_experiment(experiment).memory), 0);
}

TEST(Examples, GradientOfTheEncoderFollowsCentralDifferences) {
  ThreadPool pool(2);
  const Components all = with_examples();
  const Graph graph = random_graph(GraphKind::kUndirected, 11, 24, 5);
  constexpr int kDim = 3;
  const auto encoder = make_encoder("mean:share=0.7", {graph, kDim, 1.0, 0, 4, pool}, all.encoders);
  DenseParameters at;
  encoder->visit_parameters([&](const auto& name, Matrix& value) { at[name] = to_dense(value); });
  // L = sum over some nodes of a fixed vector times h, plus half the square of h.
  const std::vector<NodeId> nodes{0, 2, 3, 7, 10};
  const auto direction = [](int i, int d) { return 0.3 * i - 0.5 * d + 0.1; };
  const Dense mean = row_mean(adjacency_matrix(graph, 0));
  const auto loss = [&](const DenseParameters& p) {
    const Dense& e = p.at("input");
    const Dense pulled = mean * e;
    double total = 0;
    for (int i = 0; i < std::ssize(nodes); ++i)
      for (int d = 0; d < kDim; ++d) {
        const double h = e(nodes[i], d) + 0.7 * pulled(nodes[i], d);
        total += direction(i, d) * h + 0.5 * h * h;
      }
    return total;
  };
  encoder->begin_batch();
  Matrix vectors(std::ssize(nodes), kDim), gradients(std::ssize(nodes), kDim);
  encoder->forward({1, 0, 0}, nodes, vectors.view());
  for (int i = 0; i < std::ssize(nodes); ++i)
    for (int d = 0; d < kDim; ++d)
      gradients.row(i)[d] = static_cast<float>(direction(i, d)) + vectors.row(i)[d];
  encoder->backward(gradients.view());
  const Dense expected = numeric_gradient(at, loss).at("input");
  int seen = 0;
  encoder->visit_gradients([&](const auto&, std::int64_t row, std::span<const float> values) {
    for (int d = 0; d < kDim; ++d) {
      EXPECT_NEAR(values[d], expected(static_cast<int>(row), d), 1e-5) << row << " " << d;
      ++seen;
    }
  });
  EXPECT_EQ(seen, 11 * kDim);
}

TEST(Examples, TheEncoderRefusesADirectedGraph) {
  ThreadPool pool(1);
  const Components all = with_examples();
  const Graph graph = random_graph(GraphKind::kDirected, 9, 20, 5);
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage,
                                [&] {
                                  make_encoder("mean", {graph, 4, 1.0, 0, 4, pool}, all.encoders);
                                }),
                       "undirected"));
}

}  // namespace
}  // namespace mcns

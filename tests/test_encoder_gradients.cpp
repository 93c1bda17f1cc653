// A whole training step of every graph neural encoder, loss and normalisation against central
// differences in double of the dense reference, and several steps of every optimizer against it.
#include <gtest/gtest.h>

#include "mcns/core/features.h"
#include "mcns/encoders/receptive_field.h"
#include "mcns/encoders/registry.h"
#include "mcns/losses/registry.h"
#include "mcns/optim/registry.h"
#include "mcns/train/step.h"

#include "tests/dense_reference.h"

namespace mcns {
namespace {

using namespace mcns::testing;

constexpr int kDim = 6, kNegatives = 3;
constexpr float kL2 = 0.03F;
constexpr double kMargin = 0.1;

/// The negatives that a test wrote down.
class FixedNegatives final : public NegativeSampler {
 public:
  explicit FixedNegatives(std::vector<NodeId> ids, std::vector<float> pair_weights)
      : ids_(std::move(ids)), pair_weights_(std::move(pair_weights)) {}
  void sample(const SampleRequest& request, const Negatives& out) override {
    for (const std::int32_t i : request.members) {
      out.pair_weights[i] = pair_weights_[i];
      for (int j = 0; j < out.k; ++j) {
        out.ids[i * out.k + j] = ids_[i * out.k + j];
        out.weights[i * out.k + j] = 0.5F + 0.25F * static_cast<float>(j);
      }
    }
  }
  bool weighs_negatives() const override { return true; }
  bool weighs_pairs() const override { return true; }

 private:
  std::vector<NodeId> ids_;
  std::vector<float> pair_weights_;
};

/// Losses as their equations are written.
double reference_loss(const std::string& name, double s0, const std::vector<double>& s,
                      const std::vector<double>& w) {
  double loss = name == "logistic" ? std::log1p(std::exp(kMargin - s0)) : 0.0,
         total = std::exp(s0) + std::exp(kMargin);
  for (std::size_t j = 0; j < s.size(); ++j) {
    if (name == "bpr") loss += w[j] * std::log1p(std::exp(s[j] - s0));
    if (name == "hinge") loss += w[j] * std::max(0.0, s[j] - s0 + kMargin);
    if (name == "logistic") loss += w[j] * std::log1p(std::exp(s[j] - kMargin));
    total += w[j] * std::exp(s[j]);
  }
  return name == "softmax" ? std::log(total) - s0 : loss;
}

struct Case {
  std::string encoder, graph;
  bool features = false;
  Scoring scoring = {};
};

class Problem {
 public:
  explicit Problem(const Case& c) : pool(2), test_case(c) {
    make_graph(c.graph);
    if (c.features) make_features();
    Rng rng(5, Domain::kTest);
    for (int i = 0; i < 7; ++i) {
      const auto draw = [&](NodeRange range) {
        return range.begin + static_cast<NodeId>(rng.below(range.size()));
      };
      batch.pairs.push_back({draw(graph.sources()), draw(graph.targets())});
      batch.serials.push_back(i);
      for (int j = 0; j < kNegatives; ++j) negatives.push_back(draw(graph.targets()));
      pair_weights.push_back(i == 3 ? 0.0F : i == 4 ? 0.7F : 1.0F);
    }
  }

  std::unique_ptr<Encoder> make(int slots) {
    return make_encoder(test_case.encoder,
                        {graph, kDim, 1.5, slots, 4, pool, features ? features.get() : nullptr, 1,
                         test_case.scoring});
  }

  /// All vectors from the parameters, by the definition; their products are the scores.
  Dense vectors(const DenseParameters& p) const {
    Dense h = encoded(p);
    const double popularity = test_case.scoring.popularity;
    for (int v = 0; v < h.rows && popularity != 0; ++v) h(v, h.columns - 1) = 0;
    if (test_case.scoring.cosine) h = normalized_rows(h);
    for (double& x : h.values) x /= std::sqrt(test_case.scoring.temperature);
    if (popularity != 0) add_popularity(h, popularity);
    return h;
  }

  void add_popularity(Dense& h, double factor) const {
    const auto log_of = [&](NodeId v) {
      return std::log(1.0 + static_cast<double>(graph.degree(v)));
    };
    double mean = 0;
    for (NodeId v = graph.num_users(); v < graph.num_nodes(); ++v)
      mean += log_of(v) / graph.num_items();
    for (NodeId v = 0; v < graph.num_nodes(); ++v)
      h(v, h.columns - 1) = v < graph.num_users() ? 1 : factor * (log_of(v) - mean);
  }

  Dense encoded(const DenseParameters& p) const {
    const std::string name = component_name(test_case.encoder);
    if (name == "lookup") return p.at("parameters");
    Dense h = features ? feature_matrix * p.at("features") : p.at("input");
    if (name == "lightgcn") return mean_of_powers(symmetric(adjacency_matrix(graph, 0)), h, 3);
    const auto has = [&](const char* flag) {
      return test_case.encoder.find(flag) != std::string::npos;
    };
    h = convolve(h, aggregates(name), p, has("residual=true"));
    if (!has("length=")) return h;
    h = normalized_rows(h);
    if (has("length=2.5"))
      for (double& x : h.values) x *= 2.5;
    return h;
  }

  double loss(const std::string& name, const DenseParameters& p, double l2 = kL2) const {
    const Dense h = vectors(p);
    const auto dot = [&](NodeId a, NodeId b) {
      double sum = 0;
      for (int d = 0; d < h.columns; ++d) sum += h(a, d) * h(b, d);
      return sum;
    };
    double total = 0;
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      if (pair_weights[i] == 0) continue;
      const auto [u, v] = batch.pairs[i];
      std::vector<double> s, w;
      double squares = dot(u, u) + dot(v, v);
      for (int j = 0; j < kNegatives; ++j) {
        const NodeId x = negatives[i * kNegatives + j];
        s.push_back(dot(u, x));
        w.push_back(0.5 + 0.25 * j);
        squares += dot(x, x);
      }
      total += pair_weights[i] * reference_loss(name, dot(u, v), s, w) + 0.5 * l2 * squares;
    }
    return total;
  }

  ThreadPool pool;
  Case test_case;
  Graph graph;
  std::unique_ptr<Features> features;
  Dense feature_matrix;
  PairBuffer batch;
  std::vector<NodeId> negatives;
  std::vector<float> pair_weights;
  static constexpr BatchKey kKey{9, 4, 2};

 private:
  void make_graph(const std::string& name) {
    Rng rng(1, Domain::kTest);
    EdgeList edges;
    const NodeId nodes = 11;  // the last one stays alone
    const bool bipartite = name == "user-item";
    for (int e = 0; e < 26; ++e) {
      const NodeId a = static_cast<NodeId>(rng.below(bipartite ? 4 : nodes - 1));
      const NodeId b = static_cast<NodeId>(bipartite ? 4 + rng.below(6) : rng.below(nodes - 1));
      edges.pairs.push_back({a, b});
      if (name != "plain") edges.weights.push_back(0.5F + rng.uniformf());
    }
    BuildOptions options;
    if (bipartite) options = {GraphKind::kBipartite, 4};
    if (name == "directed") options.kind = GraphKind::kDirected;
    graph = build_graph(std::move(edges), nodes, options, pool);
  }

  void make_features() {
    Rng rng(2, Domain::kTest);
    const int width = 5, nodes = graph.num_nodes();
    feature_matrix = Dense(nodes, width);
    std::vector<EdgeId> offsets{0};
    std::vector<NodeId> columns;
    std::vector<float> values;
    for (int v = 0; v < nodes; ++v) {
      for (int f = 0; f < width; ++f) {
        if (rng.below(2) == 0) continue;
        columns.push_back(f);
        values.push_back(static_cast<float>(rng.normal()));
        feature_matrix(v, f) = values.back();
      }
      offsets.push_back(static_cast<EdgeId>(columns.size()));
    }
    features = std::make_unique<Features>(offsets, columns, values, width);
  }

  std::vector<Dense> aggregates(const std::string& name) const {
    const Dense all = name == "gcn" ? symmetric(adjacency_matrix(graph, 1))
                                    : row_mean(adjacency_matrix(graph, 0));
    const bool three = test_case.encoder.find("layers=3") != std::string::npos;
    if (test_case.encoder.find("fanout=2/3") == std::string::npos)
      return std::vector<Dense>(three ? 3 : 2, all);
    return drawn_aggregates(name);
  }

  /// What the keyed draw of neighbours gives for the nodes of the batch.
  std::vector<Dense> drawn_aggregates(const std::string& name) const {
    std::vector<NodeId> nodes;
    const auto add = [&](NodeId v) {
      if (std::find(nodes.begin(), nodes.end(), v) == nodes.end()) nodes.push_back(v);
    };
    for (const Pair pair : batch.pairs) add(pair.source), add(pair.target);
    for (const NodeId v : negatives) add(v);
    ThreadPool one(1);
    const Adjacency adjacency(graph, name == "gcn" ? Weighting::kSelfLoops : Weighting::kMean, one);
    ReceptiveField field(adjacency, {2, 3});
    field.build(kKey, nodes, one);
    std::vector<Dense> out;
    for (int l = 1; l <= 2; ++l) {
      Dense a(graph.num_nodes(), graph.num_nodes());
      const Block& block = field.block(l);
      const auto all = field.nodes(0);
      for (int i = 0; i < block.outputs; ++i)
        for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e)
          a(all[i], all[block.columns[e]]) += block.values[e];
      out.push_back(a);
    }
    return out;
  }
};

DenseParameters read(Encoder& encoder) {
  DenseParameters out;
  encoder.visit_parameters(
      [&](const std::string& name, Matrix& value) { out[name] = to_dense(value); });
  return out;
}

SamplerSession session_of(Problem& problem) {
  return SamplerSession(problem.graph,
                        {.negatives = kNegatives,
                         .filter = Filter::kNone,
                         .make =
                             [&](const SamplerContext&) {
                               return std::make_unique<FixedNegatives>(problem.negatives,
                                                                       problem.pair_weights);
                             }},
                        problem.pool);
}

StepParts parts_of(Problem& problem, SamplerSession& session, const std::string& loss,
                   const std::string& optimizer) {
  return {session, make_loss(loss, kMargin), make_optimizer(optimizer), kL2, problem.pool};
}

const Case kCases[] = {
    {"gcn", "plain"},
    {"gcn:length=1,hidden=5,input=7", "weighted"},
    {"gcn:layers=3,start=glorot", "directed"},
    {"gcn:layers=2,fanout=2/3", "weighted"},
    {"gcn", "plain", true},
    {"gcn:layers=3,residual=true,start=glorot", "weighted"},
    {"gcn:residual=true,length=1,fanout=2/3", "user-item"},
    {"graphsage:residual=true,start=glorot,fanout=0/0", "weighted"},
    {"graphsage:residual=true,length=2.5,fanout=2/3", "user-item"},
    {"graphsage:fanout=all/all", "weighted"},
    {"graphsage:fanout=0/0,length=1,start=glorot,hidden=9,input=5", "plain"},
    {"graphsage:fanout=2/3", "user-item"},
    {"graphsage:fanout=all/all,length=2.5", "plain"},
    {"graphsage:fanout=2/3,input=4", "directed", true},
    {"lightgcn", "plain"},
    {"lightgcn:layers=3", "user-item"},
    {"lookup", "plain", false, {true, 0.3}},
    {"lookup", "user-item", false, {false, 0.4}},
    {"gcn:length=1,hidden=5,input=7", "weighted", false, {false, 2.0}},
    {"gcn", "plain", true, {true, 0.5}},
    {"graphsage:fanout=2/3,start=glorot", "user-item", false, {true, 0.25}},
    {"lightgcn", "user-item", false, {true, 0.2}},
    {"lookup", "user-item", false, {true, 0.5, 0.7}},
    {"graphsage:fanout=2/3,start=glorot", "user-item", false, {true, 0.5, 0.2}},
};

class EncoderGradients : public ::testing::TestWithParam<Case> {};

TEST_P(EncoderGradients, StepFollowsCentralDifferences) {
  for (const char* loss : {"bpr", "hinge", "logistic", "softmax"}) {
    Problem problem(GetParam());
    const auto encoder = problem.make(0);
    SamplerSession session = session_of(problem);
    const auto step = make_gnn_step(parts_of(problem, session, loss, "sgd"), *encoder, false);
    const DenseParameters before = read(*encoder);
    const DenseParameters expected =
        numeric_gradient(before, [&](const DenseParameters& p) { return problem.loss(loss, p); });
    StepTotals totals;
    step->run(Problem::kKey, problem.batch, 0.0F, totals);
    EXPECT_NEAR(totals.loss, problem.loss(loss, before, 0.0), 1e-4);  // without the penalty
    DenseParameters got = before;
    for (auto& [name, matrix] : got) std::fill(matrix.values.begin(), matrix.values.end(), 0.0);
    encoder->visit_gradients(
        [&](const std::string& name, std::int64_t row, std::span<const float> values) {
          for (std::size_t j = 0; j < values.size(); ++j)
            got.at(name)(static_cast<int>(row), static_cast<int>(j)) = values[j];
        });
    for (const auto& [name, matrix] : expected) {
      double largest = 0;
      for (const double g : matrix.values) largest = std::max(largest, std::fabs(g));
      EXPECT_GT(largest, 1e-4) << loss << " " << name;
      for (std::size_t i = 0; i < matrix.values.size(); ++i)
        ASSERT_NEAR(got.at(name).values[i], matrix.values[i], 3e-5 * std::max(1.0, largest))
            << loss << " " << name << " entry " << i;
    }
  }
}

TEST_P(EncoderGradients, ForwardAndTableFollowTheDefinition) {
  Problem problem(GetParam());
  const auto encoder = problem.make(0);
  encoder->refresh();
  const std::string& spec = problem.test_case.encoder;
  if (spec.find("fanout=2/3") != std::string::npos)
    problem.test_case.encoder.replace(spec.find("fanout=2/3"), 10, "fanout=0/0");
  const Dense h = problem.vectors(read(*encoder));
  for (int v = 0; v < h.rows; ++v)
    for (int d = 0; d < h.columns; ++d)
      ASSERT_NEAR(encoder->node_table().row(v)[d], h(v, d), 2e-5) << v << " " << d;
}

/// Adam and Adagrad as written down, on numeric gradients; rows without a gradient rest.
struct ReferenceOptimizer {
  std::string name;
  DenseParameters first, second;
  int step = 0;

  void apply(DenseParameters& p, const DenseParameters& gradient, double lr) {
    if (step == 0) {
      first = second = gradient;
      for (auto* moments : {&first, &second})
        for (auto& [_, m] : *moments) std::fill(m.values.begin(), m.values.end(), 0.0);
    }
    ++step;
    for (auto& [key, w] : p)
      for (std::size_t i = 0; i < w.values.size(); ++i) {
        const double g = gradient.at(key).values[i];
        double &m = first.at(key).values[i], &v = second.at(key).values[i];
        if (name == "sgd") w.values[i] -= lr * g;
        if (name == "adagrad") {
          v += g * g;
          w.values[i] -= lr * g / (std::sqrt(v) + 1e-8);
        }
        if (name == "adam") {
          m = 0.9 * m + 0.1 * g;
          v = 0.999 * v + 0.001 * g * g;
          const double mh = m / (1 - std::pow(0.9, step)), vh = v / (1 - std::pow(0.999, step));
          w.values[i] -= lr * mh / (std::sqrt(vh) + 1e-8);
        }
      }
  }
};

TEST(EncoderStep, SeveralStepsFollowTheDenseImplementation) {
  for (const char* encoder_name : {"gcn", "graphsage:fanout=0/0", "lightgcn"})
    for (const char* optimizer : {"sgd", "adagrad", "adam"}) {
      Problem problem({encoder_name, "weighted"});
      const auto encoder = problem.make(slots_of(make_optimizer(optimizer)));
      SamplerSession session = session_of(problem);
      const auto step =
          make_gnn_step(parts_of(problem, session, "bpr", optimizer), *encoder, false);
      DenseParameters expected = read(*encoder);
      ReferenceOptimizer reference{optimizer, {}, {}};
      for (int i = 0; i < 4; ++i) {
        reference.apply(
            expected,
            numeric_gradient(expected,
                             [&](const DenseParameters& p) { return problem.loss("bpr", p); }),
            0.02);
        StepTotals totals;
        step->run({9, 0, i}, problem.batch, 0.02F, totals);
      }
      const DenseParameters got = read(*encoder);
      for (const auto& [name, matrix] : expected)
        for (std::size_t i = 0; i < matrix.values.size(); ++i)
          ASSERT_NEAR(got.at(name).values[i], matrix.values[i], 3e-4)
              << encoder_name << " " << optimizer << " " << name << " entry " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EncoderGradients, ::testing::ValuesIn(kCases),
                         [](const ::testing::TestParamInfo<Case>& info) {
                           std::string name = info.param.encoder + "_" + info.param.graph +
                                              (info.param.features ? "_features" : "");
                           const Scoring scoring = info.param.scoring;
                           if (!scoring.is_plain())
                             name += fmt::format("_{}_{}", scoring.cosine ? "cosine" : "dot",
                                                 scoring.temperature);
                           if (scoring.popularity != 0)
                             name += fmt::format("_popularity_{}", scoring.popularity);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace mcns

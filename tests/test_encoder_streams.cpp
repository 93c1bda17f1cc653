// First values of networks: no row of a weight matrix comes from the random numbers of an input
// row.
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "mcns/encoders/registry.h"

#include "tests/graph_support.h"

namespace mcns {
namespace {

double cosine(const float* a, const float* b, int n) {
  double dot = 0, aa = 0, bb = 0;
  for (int i = 0; i < n; ++i) {
    dot += double{a[i]} * b[i];
    aa += double{a[i]} * a[i];
    bb += double{b[i]} * b[i];
  }
  return dot / std::sqrt(aa * bb);
}

TEST(EncoderStreams, WeightsAndInputsAreDrawnApart) {
  constexpr int kDim = 32;
  const Graph graph = random_graph(GraphKind::kUndirected, 40, 100, 1);
  ThreadPool pool(1);
  for (const std::string spec : {"gcn:layers=1", "graphsage:fanout=5"}) {
    const auto encoder = make_encoder(spec, {graph, kDim, 1.0, 0, 3, pool});
    std::map<std::string, Matrix> all;
    encoder->visit_parameters(
        [&](const std::string& name, Matrix& value) { all.emplace(name, value); });
    const Matrix& input = all.at("input");
    for (const auto& [name, weights] : all) {
      if (name == "input") continue;
      for (std::int64_t i = 0; i < weights.rows(); ++i)
        for (std::int64_t v = 0; v < input.rows(); ++v)
          EXPECT_LT(std::fabs(cosine(weights.row(i), input.row(v), weights.dim())), 0.99)
              << spec << ", row " << i << " of " << name << " and input " << v;
    }
  }
}

}  // namespace
}  // namespace mcns

// The kernels of the batch step against sums in double: few and many negatives, skipped pairs, L2.
#include <gtest/gtest.h>

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/rng.h"
#include "mcns/losses/losses.h"

namespace mcns {
namespace {

constexpr int kDim = 48, kRows = 30;

Matrix random_rows() {
  Matrix out(kRows, kDim);
  Rng rng(3, Domain::kTest);
  for (float& x : out.flat()) x = 0.3F * static_cast<float>(rng.normal());
  return out;
}

double product(const Matrix& m, NodeId a, NodeId b) {
  double sum = 0;
  for (int i = 0; i < kDim; ++i) sum += double{m.row(a)[i]} * m.row(b)[i];
  return sum;
}

TEST(PairWork, ScoresSlopesAndGradientsMatchDouble) {
  const Matrix vectors = random_rows();
  const std::vector<std::int32_t> order = {0, 2, 1, 3}, slots = {0, 1, 0, 2};
  const std::vector<NodeId> sources = {4, 9, 4, 7};
  const std::vector<float> shares = {1, 0.5F, 1, 0};
  constexpr float kL2 = 0.1F;
  for (const Kernels* k : runnable_kernels())
    for (const int width : {2, 6, 40, 70}) {
      std::vector<NodeId> targets(4 * width);
      for (std::size_t i = 0; i < targets.size(); ++i)
        targets[i] = static_cast<NodeId>((7 * i + 3) % kRows);
      std::vector<Slope> slopes(targets.size());
      Matrix gradients(3, kDim), scratch(1, width);
      const Logistic loss{0.2F};
      const double total = k->score_pairs(
          {.vectors = vectors.data(),
           .stride = kDim,
           .order = order.data(),
           .pairs = 4,
           .width = width,
           .sources = sources.data(),
           .targets = targets.data(),
           .slots = slots.data(),
           .weights = nullptr,
           .pair_weights = shares.data(),
           .loss =
               [](const void* l, float* s, const float* w, int pairs, int n) {
                 return loss_of_pairs(*static_cast<const Logistic*>(l), s, w, pairs, n);
               },
           .loss_state = &loss,
           .l2 = kL2,
           .slopes = slopes.data(),
           .scores = nullptr,
           .gradients = gradients.data(),
           .scratch = scratch.data()},
          kDim);
      double expected = 0;
      std::vector<std::vector<double>> sums(3, std::vector<double>(kDim));
      for (int pair = 0; pair < 4; ++pair)
        for (int j = 0; j < width; ++j) {
          const NodeId target = targets[pair * width + j];
          const double sign = j == 0 ? -1 : 1;
          const double x = sign * (product(vectors, sources[pair], target) - 0.2);
          const double slope = shares[pair] * sign / (1 + std::exp(-x));
          expected += shares[pair] * std::log1p(std::exp(x));
          EXPECT_NEAR(slopes[pair * width + j].value, slope, 1e-5) << width;
          EXPECT_EQ(slopes[pair * width + j].source, sources[pair]);
          for (int i = 0; i < kDim; ++i) sums[slots[pair]][i] += slope * vectors.row(target)[i];
        }
      EXPECT_NEAR(total, expected, 1e-4 * expected) << k->name << ", width " << width;
      const int learned[] = {2, 1, 0};
      const NodeId rows[] = {4, 9, 7};
      for (int s = 0; s < 3; ++s)
        for (int i = 0; i < kDim; ++i)
          EXPECT_NEAR(gradients.row(s)[i],
                      sums[s][i] + double{kL2} * learned[s] * vectors.row(rows[s])[i], 1e-4)
              << k->name << ", width " << width << ", source " << s;
    }
}

}  // namespace
}  // namespace mcns

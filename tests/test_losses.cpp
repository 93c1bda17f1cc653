// Losses: values against their formulas in double, gradients against central differences.
#include <cmath>

#include <gtest/gtest.h>

#include "mcns/core/component.h"
#include "mcns/core/rng.h"
#include "mcns/losses/losses.h"
#include "mcns/losses/registry.h"

#include "tests/test_io_files.h"

namespace mcns {
namespace {

using Scores = std::vector<double>;

double log1pexp(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

/// The slow version: straight from the formulas.
double reference(const std::string& name, double margin, const Scores& s, const Scores& w) {
  double loss = name == "logistic" ? log1pexp(margin - s[0]) : 0;
  double total = margin > 0 ? 1 + std::exp(margin - s[0]) : 1;
  for (std::size_t j = 1; j < s.size(); ++j) {
    const double weight = w.empty() ? 1 : w[j - 1];
    if (name == "bpr") loss += weight * log1pexp(s[j] - s[0]);
    if (name == "hinge") loss += weight * std::max(0.0, s[j] - s[0] + margin);
    if (name == "logistic") loss += weight * log1pexp(s[j] - margin);
    if (name == "softmax") total += weight * std::exp(s[j] - s[0]);
  }
  return name == "softmax" ? std::log(total) : loss;
}

struct Result {
  double loss;
  std::vector<float> gradient;
};

Result apply(const std::string& name, double margin, const Scores& s, const Scores& w) {
  std::vector<float> scores(s.begin(), s.end()), weights(w.begin(), w.end());
  const Loss loss = make_loss(name, margin);
  const double value = std::visit(
      [&](const auto& f) {
        return loss_of_pair(f, scores.data(), w.empty() ? nullptr : weights.data(),
                            static_cast<int>(scores.size()));
      },
      loss);
  return {value, scores};
}

/// Far enough from the hinge's kinks for a central difference.
bool smooth(const std::string& name, double margin, const Scores& s) {
  if (name != "hinge") return true;
  for (std::size_t j = 1; j < s.size(); ++j)
    if (std::fabs(s[j] - s[0] + margin) < 1e-3) return false;
  return true;
}

TEST(Losses, MatchTheirFormulasAndDifferences) {
  int checked = 0;
  for (const auto& info : builtin_losses())
    for (const double margin : {0.0, 0.1, 3.0})
      for (std::uint64_t trial = 0; trial < 60; ++trial) {
        Rng rng(trial, Domain::kTest);
        Scores s(2 + rng.below(6)), w;
        for (double& x : s) x = static_cast<float>(2 * rng.normal());
        if (trial % 2 == 1)
          for (std::size_t j = 1; j < s.size(); ++j)
            w.push_back(rng.below(4) == 0 ? 0.0 : static_cast<float>(2 * rng.uniform()));
        if (!smooth(info.name, margin, s)) continue;
        const Result got = apply(info.name, margin, s, w);
        const double expected = reference(info.name, margin, s, w);
        EXPECT_NEAR(got.loss, expected, 1e-5 * (1 + expected)) << info.name;
        for (std::size_t j = 0; j < s.size(); ++j) {
          constexpr double kStep = 1e-5;
          Scores up = s, down = s;
          up[j] += kStep;
          down[j] -= kStep;
          const double slope =
              (reference(info.name, margin, up, w) - reference(info.name, margin, down, w)) /
              (2 * kStep);
          EXPECT_NEAR(got.gradient[j], slope, 1e-5 * (1 + std::fabs(slope)))
              << info.name << " at " << j << ", margin " << margin;
          ++checked;
        }
      }
  EXPECT_GT(checked, 3000);
}

TEST(Losses, OnlyTheHingeLossHasMarginsBelowZero) {
  const Scores close = {1.0, 0.9}, behind = {1.0, 1.5};
  EXPECT_EQ(apply("hinge", -0.2, close, {}).loss, 0);
  EXPECT_NEAR(apply("hinge", -0.2, behind, {}).loss, reference("hinge", -0.2, behind, {}), 1e-6);
  EXPECT_THROW(make_loss("softmax", -0.2), Error);
}

TEST(Losses, ExtremeScoresStayFinite) {
  const std::vector<Scores> weight_sets = {{}, {1, 1, 1}, {0, 2, 0.5}, {0, 0, 0}};
  for (const auto& info : builtin_losses())
    for (const double positive : {-1e4, -100.0, 0.0, 100.0, 1e4})
      for (const double a : {-1e4, -100.0, 100.0, 1e4})
        for (const double b : {-1e4, 0.0, 1e4})
          for (const auto& w : weight_sets) {
            const Result got = apply(info.name, 0.1, {positive, a, b, -a}, w);
            ASSERT_TRUE(std::isfinite(got.loss) && got.loss >= 0)
                << info.name << " of " << positive << ", " << a << ", " << b << ": " << got.loss;
            for (const float g : got.gradient) ASSERT_TRUE(std::isfinite(g)) << info.name;
            const double expected = reference("bpr", 0.1, {positive, a, b, -a}, w);
            if (info.name == "bpr") {
              EXPECT_NEAR(got.loss, expected, 1e-5 * (1 + expected));
            }
          }
}

/// More terms than a product of them can hold.
TEST(Losses, ManyNegativesAddUp) {
  const Scores s(5000, 0.0);
  EXPECT_NEAR(apply("bpr", 0, s, {}).loss, 4999 * std::log(2.0), 1e-2);
  EXPECT_NEAR(apply("logistic", 0, s, {}).loss, 5000 * std::log(2.0), 1e-2);
}

TEST(Losses, AMarginMovesTheLogisticLoss) {
  const Result moved = apply("logistic", 2, {3, 1}, {}), plain = apply("logistic", 0, {1, -1}, {});
  EXPECT_EQ(moved.loss, plain.loss);
  EXPECT_EQ(moved.gradient, plain.gradient);
}

TEST(Losses, UnknownNamesAndBadMarginsAreRefused) {
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [] { make_loss("bprr", 0); }),
                       "did you mean 'bpr'? known: bpr, hinge, logistic, softmax"));
  for (const double margin : {-1.0, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [&] { make_loss("bpr", margin); }), "margin"));
}

}  // namespace
}  // namespace mcns

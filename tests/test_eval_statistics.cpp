// Golden values from tables of Student's law and from closed forms.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "mcns/core/error.h"
#include "mcns/eval/statistics.h"

namespace mcns {
namespace {

TEST(Statistics, MeanAndSpread) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_EQ(standard_deviation(std::vector<double>{3}), 0);
  EXPECT_THROW(mean({}), Error);
}

TEST(Statistics, IncompleteBetaHasItsClosedForms) {
  for (const double x : {0.0, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0}) {
    EXPECT_NEAR(regularized_incomplete_beta(1, 1, x), x, 1e-14);
    EXPECT_NEAR(regularized_incomplete_beta(3, 1, x), x * x * x, 1e-14);
    EXPECT_NEAR(regularized_incomplete_beta(2, 2, x), x * x * (3 - 2 * x), 1e-14);
    EXPECT_NEAR(regularized_incomplete_beta(0.5, 0.5, x),
                2 / std::numbers::pi * std::asin(std::sqrt(x)), 1e-13);
    EXPECT_NEAR(regularized_incomplete_beta(40, 2.5, x),
                1 - regularized_incomplete_beta(2.5, 40, 1 - x), 1e-13);
  }
}

TEST(Statistics, StudentsLawHasItsClosedForms) {
  for (const double t : {0.0, 0.1, 1.0, 2.5, 30.0, 1e4}) {
    EXPECT_NEAR(student_t_p_value(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-13);
    EXPECT_NEAR(student_t_p_value(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13);
    EXPECT_DOUBLE_EQ(student_t_p_value(-t, 7), student_t_p_value(t, 7));
    EXPECT_NEAR(student_t_p_value(t, 1e7), std::erfc(t / std::numbers::sqrt2), 1e-6);
  }
}

TEST(Statistics, StudentsLawAgreesWithTables) {
  EXPECT_NEAR(student_t_p_value(2.0, 10), 0.07339, 5e-6);
  EXPECT_NEAR(student_t_p_value(2.2281, 10), 0.05, 5e-6);
  EXPECT_NEAR(student_t_p_value(2.7764, 4), 0.05, 5e-6);
  EXPECT_NEAR(student_t_p_value(2.0423, 30), 0.05, 5e-6);
  EXPECT_NEAR(student_t_p_value(4.6041, 4), 0.01, 5e-6);
}

TEST(Statistics, PairedTest) {
  // Differences 1, 2, 3, 4, 5: mean 3, deviation sqrt(2.5), t = 3 / sqrt(0.5).
  const std::vector<double> a = {11, 22, 33, 44, 55}, b = {10, 20, 30, 40, 50};
  const TTest test = paired_t_test(a, b);
  EXPECT_DOUBLE_EQ(test.difference, 3);
  EXPECT_DOUBLE_EQ(test.t, 3 / std::sqrt(0.5));
  EXPECT_EQ(test.degrees, 4);
  EXPECT_NEAR(test.p_value, 0.013235, 1e-6);
  EXPECT_DOUBLE_EQ(paired_t_test(b, a).p_value, test.p_value);
}

TEST(Statistics, PairedTestWithoutSpread) {
  const std::vector<double> a = {1, 2}, b = {0.5, 1.5};
  EXPECT_EQ(paired_t_test(a, a).p_value, 1);
  EXPECT_EQ(paired_t_test(a, b).p_value, 0);
  EXPECT_THROW(paired_t_test(std::vector<double>{1}, std::vector<double>{2}), Error);
  EXPECT_THROW(paired_t_test(a, std::vector<double>{1}), Error);
}

TEST(Statistics, OverlappingFoldsWidenTheError) {
  const std::vector<double> a = {11, 22, 33, 44, 55}, b = {10, 20, 30, 40, 50};
  // Deviation sqrt(2.5); variance of the mean 2.5 (1 / 5 + 1 / 4).
  const TTest test = paired_t_test(a, b, 0.25);
  EXPECT_DOUBLE_EQ(test.t, 3 / std::sqrt(2.5 * 0.45));
  EXPECT_GT(test.p_value, paired_t_test(a, b).p_value);
  EXPECT_THROW(paired_t_test(a, b, -1), Error);
}

TEST(Statistics, HolmMultipliesByWhatIsLeft) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  // Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1; never below one before.
  EXPECT_EQ(holm(p), (std::vector<double>{0.03, 0.06, 0.06, 0.02}));
  EXPECT_EQ(holm(std::vector<double>{0.7, 0.6}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace mcns

// Means, spreads and the paired t-test, for figures repeated over seeds or folds.
#pragma once

#include <span>

namespace mcns {

double mean(std::span<const double> values);
/// With n - 1 in the denominator; 0 for a single value.
double standard_deviation(std::span<const double> values);

/// I_x(a, b) for a, b > 0 and x in [0, 1].
double regularized_incomplete_beta(double a, double b, double x);
/// Two-sided probability of |T| >= |t| under Student's law with `degrees` of freedom.
double student_t_p_value(double t, double degrees);

struct TTest {
  double difference = 0;  ///< mean of a - b
  double t = 0, degrees = 0;
  double p_value = 1;  ///< two-sided
};

/// Do a and b differ, value by value, in the mean? Needs two values at least. Without any spread p
/// is 1 where the difference is zero, else 0.
TTest paired_t_test(std::span<const double> a, std::span<const double> b);

}  // namespace mcns

// Means, spreads and the paired t-test, for figures repeated over seeds or folds.
#pragma once

#include <span>
#include <vector>

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
///
/// Values of folds are not independent, as their train sets overlap. `overlap` is the size of a
/// test part over that of its train part (Nadeau and Bengio 2003): the variance of the mean is
/// then taken as (1 / n + overlap) times that of the differences. 0: independent values.
TTest paired_t_test(std::span<const double> a, std::span<const double> b, double overlap = 0);

/// Holm's correction for several tests at once: a value below a level keeps the chance of any false
/// finding among all of them below it. In the order of `p_values`.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace mcns

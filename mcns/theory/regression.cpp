#include "mcns/theory/regression.h"

#include <cmath>
#include <cstddef>

namespace mcns {

Regression regress(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  Regression out;
  out.slope = xy / xx;
  out.intercept = mean_y - out.slope * mean_x;
  out.r = xy / std::sqrt(xx * yy);
  return out;
}

}  // namespace mcns

// A straight line by least squares.
#pragma once

#include <span>

namespace mcns {

struct Regression {
  double slope = 0, intercept = 0, r = 0;
};

/// Of y on x; both have the same length, at least 2.
Regression regress(std::span<const double> x, std::span<const double> y);

}  // namespace mcns

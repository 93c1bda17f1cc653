// Draws against a distribution over few nodes: Pearson's chi-square, total variation, and how many
// independent draws the states of a chain are worth.
#pragma once

#include <map>
#include <span>

#include "mcns/samplers/selftest/distribution.h"

namespace mcns {

using Counts = std::map<NodeId, std::int64_t>;

/// Upper tail of the chi-square distribution, by Wilson and Hilferty's cube root (1931): two digits
/// where p > 1e-6, the order of magnitude below.
double chi_square_tail(double value, int degrees);

/// p-value of counts of independent draws. Cells that expect less than 5 are pooled. 0 where
/// something impossible was drawn; 1 where the distribution leaves a single cell.
double chi_square_p_value(const Distribution& expected, const Counts& counts);

/// Half the sum of |expected - frequencies|.
double total_variation(const Distribution& expected, const Counts& counts);

/// n var(x) / (b var(means of batches of b)) with b = sqrt(n): batch means (Flegal and Jones 2010).
/// At most n, as a negative correlation is not distinguished from noise; n where x is constant.
double effective_sample_size(std::span<const double> states);

}  // namespace mcns

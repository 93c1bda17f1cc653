// Readable tables on stdout.
#pragma once

#include <string>
#include <vector>

#include "mcns/eval/evaluator.h"

namespace mcns::cli {

/// First row is the header; numbers are right-aligned.
void print_table(std::vector<std::vector<std::string>> rows);
void print_metrics(const Metrics& valid, const Metrics& test);
/// Means of several models with their deviations, behind a ±.
void print_metrics(const Metrics& valid, const Metrics& test, const Metrics& valid_deviation,
                   const Metrics& test_deviation);
void print_groups(const std::vector<GroupMetrics>& groups);

}  // namespace mcns::cli

// Readable tables on stdout.
#pragma once

#include <string>
#include <vector>

#include "mcns/eval/evaluator.h"

namespace mcns::cli {

/// First row is the header; numbers are right-aligned.
void print_table(const std::vector<std::vector<std::string>>& rows);
void print_metrics(const Metrics& valid, const Metrics& test);
void print_groups(const std::vector<GroupMetrics>& groups);

}  // namespace mcns::cli

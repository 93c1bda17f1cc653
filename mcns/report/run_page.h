// The report of one or more model directories: figures, learning curves, how hard the negatives
// were, a map of the vectors, lists of the best, settings and environment. One file that loads
// nothing.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/parallel.h"

namespace mcns {

/// Reads the directories. Throws where one is no model directory.
std::string run_page(const std::string& title, const std::vector<std::string>& folders,
                     ThreadPool& pool);

}  // namespace mcns

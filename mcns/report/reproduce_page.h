// The report of the paper's tables and figures (reproduce/reproduce.h).
#pragma once

#include <string>
#include <vector>

#include "mcns/reproduce/summary.h"

namespace mcns {

std::string reproduce_page(const std::vector<ReproduceResult>& results, const Reading& reading);

}  // namespace mcns

// What a report shows of a saved model beside its metrics: hardness of negatives, a map, lists.
#pragma once

#include <string>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/io/model_directory.h"

namespace mcns {

/// Negatives of some sources, drawn against the vectors of the model by its own sampler.
struct Hardness {
  std::string sampler;
  std::vector<double> histogram;  ///< shares by quantile of the score among allowed targets
  double mean = 0, above_99 = 0;
  double moved = -1;  ///< share of a source's draws that differ from the one before; -1: no chain
  std::int64_t draws = 0;
};

/// Throws for a sampler that learns while training, whose state is not saved.
Hardness measure_hardness(const std::string& folder, ThreadPool& pool);

/// A figure with the nodes of the highest degree, coloured by kind or by label.
std::string model_map(const std::string& folder, const LoadedModel& model);

/// The best few for some nodes, as HTML.
std::string model_lists(const std::string& folder, const LoadedModel& model, ThreadPool& pool);

}  // namespace mcns

// `mcns selftest samplers --training`: do samplers draw what they declare while a model trains?
//
// The other self-test freezes the model. Here small models train, every task with every encoder,
// and at each batch that holds one of a few watched nodes its draws are held against the
// distribution that the sampler declares, enumerated from the scores of that moment: the mean
// quantile of the drawn scores, and the share of draws above the 99 % quantile. Samplers that keep
// something of earlier scores (a chain, an estimate) fail here if they follow too slowly. Draws of
// different batches depend on each other through the model, so there is no p-value: the mean must
// be within kQuantileMargin, the share within kShareMargin of its own size and one percent. The
// sampling error is a third of these margins or less. Seeds are fixed. Half a minute. The largest
// gap is that of `mcns:form=exp` in classification: the node itself is an allowed target there,
// stands out among its scores, and is seldom proposed (0.022 with seed 1).
#pragma once

#include "mcns/samplers/registry.h"

namespace mcns {

inline constexpr double kQuantileMargin = 0.025, kShareMargin = 0.3;

struct TrainingRow {
  std::string sampler, task, encoder;
  std::int64_t draws = 0;
  double quantile = 0, declared_quantile = 0;  ///< mean, of drawn scores among the allowed ones
  double above = 0, declared_above = 0;        ///< share above the 99 % quantile
  bool holds = false;
};

/// All that samplers of the registry declare (SamplerEntry::declares).
std::vector<TrainingRow> selftest_training(std::uint64_t seed, ThreadPool& pool,
                                           const SamplerRegistry& registry = builtin_samplers());

}  // namespace mcns

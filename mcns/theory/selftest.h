// `mcns selftest samplers`: every sampler of the registry draws on small graphs with a frozen
// model, and its draws are held against a closed form that its entry writes down independently of
// the sampler's code.
//
// Distributions that are known exactly are tested by chi-square, with 20,000 independent draws, or
// 5,000 states of an MCNS chain, eight steps apart. Seeds are fixed, so the outcome is always the
// same; under another seed a correct sampler fails one row with probability kErrorRate, and any of
// the 73 such rows with less than 1 in 130. MCNS with form=quantile knows the distribution of
// scores through a running estimate only, and chain=dfs comes from another node's distribution:
// they are near their distribution and not on it, and must be within kLargestDistance in total
// variation, where a uniform draw is at 0.3 and more. About a second.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/core/parallel.h"
#include "mcns/samplers/registry.h"

namespace mcns {

inline constexpr double kErrorRate = 1e-4;
inline constexpr double kLargestDistance = 0.15;

struct SelftestRow {
  std::string name, spec;                       ///< of the registry; the whole specification
  std::string graph, filter;                    ///< "user-item, weighted"; "train" or "none"
  std::int32_t source = 0;                      ///< whose negatives were drawn
  std::int64_t draws = 0;                       ///< that were counted
  std::optional<double> p_value;                ///< none where the distribution is not met exactly
  double total_variation = 0;                   ///< between the counts and the distribution
  std::optional<std::int64_t> states;           ///< of a chain, before thinning
  std::optional<double> effective_sample_size;  ///< of those states, by their scores
  bool holds = false;
};

/// The cases of every entry of the registry.
std::vector<SelftestRow> selftest_samplers(std::uint64_t seed, ThreadPool& pool,
                                           const SamplerRegistry& registry = builtin_samplers());

/// The same tests with samplers that are wrong on purpose, none of which should hold; last the
/// control, a chain like the broken ones but correct, which should.
std::vector<SelftestRow> selftest_broken_samplers(std::uint64_t seed, ThreadPool& pool);

/// Whether every row holds.
bool all_hold(const std::vector<SelftestRow>& rows);

}  // namespace mcns

// Runs one row of the self-test.
#pragma once

#include "mcns/samplers/registry.h"
#include "mcns/samplers/selftest/case.h"
#include "mcns/theory/selftest.h"

namespace mcns {

SelftestRow run_case(const SelftestCase& test, std::uint64_t seed, ThreadPool& pool,
                     const SamplerRegistry& registry);

}  // namespace mcns

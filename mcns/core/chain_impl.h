// The kernels of Markov chains, included by kernels_impl.h once per instruction set: numbers of
// many random streams, and steps of many chains.
#include "mcns/core/exclusion_sketch.h"
#include "mcns/core/metropolis.h"
#include "mcns/core/rng.h"

namespace mcns::MCNS_ARCH {
namespace {

/// Stream after stream in each row; the states may be the last row, which is overwritten last.
void next_numbers(const std::uint64_t* states, int count, int k, std::uint64_t* out) {
  for (int j = 0; j < k; ++j) {
    const std::uint64_t step = static_cast<std::uint64_t>(j + 1) * kGoldenGamma;
    std::uint64_t* row = out + static_cast<std::size_t>(j) * count;
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) row[i] = mix64(states[i] + step);
  }
}

void stream_numbers(std::uint64_t prefix, const std::uint64_t* names, int count, int k,
                    std::uint64_t* out) {
  std::uint64_t* states = out + static_cast<std::size_t>(k - 1) * count;
  for (int i = 0; i < count; ++i) states[i] = Streams::first_state(prefix, names[i]);
  next_numbers(states, count, k, out);
}

using Numbers = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

inline Vec minus_log(Numbers numbers) {
  return -fast_log((__builtin_convertvector(numbers >> 40, Vec) + 0.5F) * 0x1.0p-24F);
}

void exponentials(std::uint64_t state, int n, float* out) {
  Numbers steps;
  for (int j = 0; j < kLanes; ++j) steps[j] = static_cast<std::uint64_t>(j + 1) * kGoldenGamma;
  for (int i = 0; i < n; i += kLanes) {
    const Vec v = minus_log(mix64(steps + state));
    store_some(out + i, v, std::min(kLanes, n - i));
    steps += kLanes * kGoldenGamma;
  }
}

void next_exponentials(const std::uint64_t* states, int count, int k, float* out) {
  for (int i = 0; i < count; i += kLanes) {
    const int some = std::min(kLanes, count - i);
    Numbers state{};
    std::memcpy(&state, states + i, some * sizeof(std::uint64_t));
    for (int j = 0; j < k; ++j) {
      state += kGoldenGamma;
      store_some(out + static_cast<std::ptrdiff_t>(j) * count + i, minus_log(mix64(state)), some);
    }
  }
}

bool metropolis(const ChainSteps& steps) {
  const ChainSteps s = steps;
  std::uint32_t any = 0;
#pragma GCC ivdep
  for (int i = 0; i < s.count; ++i) {
    const ExclusionSketch sketch{s.offsets[i], s.multipliers[i], s.shifts[i]};
    const auto target = static_cast<std::uint32_t>(s.to[i] - s.first_target);
    const bool accepts = metropolis_accepts(s.energies[i], s.to_energies[i], s.slacks[i]);
    const bool excluded = sketch.may_exclude(s.words, target);
    const bool moves = metropolis_moves(accepts, excluded);
    s.asks[i] = metropolis_asks(accepts, excluded, sketch.is_exact()) ? 1 : 0;
    any |= s.asks[i];
    s.nodes[i] = moves ? s.to[i] : s.nodes[i];
    s.energies[i] = moves ? s.to_energies[i] : s.energies[i];
  }
  return any != 0;
}

bool may_be_pairs(PairSet set, const NodeId* x, const NodeId* y, int n, std::uint32_t* out) {
  std::uint32_t any = 0;
#pragma GCC ivdep
  for (int i = 0; i < n; ++i) {
    const PairSet::Place place = set.place(x[i], y[i]);
    out[i] = (set.words[place.word] & place.mask) == place.mask ? 1 : 0;
    any |= out[i];
  }
  return any != 0;
}

}  // namespace
}  // namespace mcns::MCNS_ARCH

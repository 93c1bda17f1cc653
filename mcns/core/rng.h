// Random numbers named by what is computed, never by the thread that computes it.
//
// A stream is named by (seed, domain, a, b), for instance (seed, negatives, epoch, index of the
// positive); its n-th number is a SplitMix64 output at counter n. The 64-bit name is itself mixed
// twice, so neighbouring names give unrelated streams. One number costs a multiply-xorshift chain
// (about 1 ns) and a stream no memory, so every positive can have its own. No std::*_distribution:
// those differ between standard libraries.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace mcns {

/// What a stream is used for; part of its name. Append only: the values are part of saved results.
enum class Domain : std::uint64_t {
  kInit = 1,
  kPositives = 2,
  kNegatives = 3,
  kWalk = 4,
  kSplit = 5,
  kEvaluation = 6,
  kGenerate = 7,
  kShuffle = 8,
  kNeighbors = 9,
  kState = 10,
  kTest = 11,
  kPool = 12,
  kStepChoice = 13,
  kWeights = 14,
  kTuning = 15,
};

/// Stafford's variant 13 of the MurmurHash3 finalizer, as in SplitMix64.
template <class T>  // std::uint64_t, or a vector of them
constexpr T mix64(T z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15ULL;

class Rng {
 public:
  constexpr Rng(std::uint64_t seed, Domain domain, std::uint64_t a = 0, std::uint64_t b = 0);

  constexpr std::uint64_t next() { return mix64(state_ += kGoldenGamma); }

  /// For kernels that compute numbers of the stream themselves: where it stands, and going on by n.
  constexpr std::uint64_t state() const { return state_; }
  constexpr void skip(std::uint64_t n) { state_ += n * kGoldenGamma; }

  /// Uniform in [0, n); the bias, n / 2^64, is far below what any test can see.
  constexpr std::uint64_t below(std::uint64_t n) { return below(next(), n); }
  /// The same from a number of the stream.
  static constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * n) >> 64);
  }

  /// Uniform in [0, 1) with 53 bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in [0, 1) with 24 bits.
  constexpr float uniformf() { return static_cast<float>(next() >> 40) * 0x1.0p-24F; }

  /// Standard normal by Box and Muller; spends two numbers.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  friend class Streams;
  constexpr explicit Rng(std::uint64_t state) : state_(state) {}
  std::uint64_t state_;
};

/// The streams (seed, domain, a, *): the part of the name they share is mixed once.
class Streams {
 public:
  constexpr Streams(std::uint64_t seed, Domain domain, std::uint64_t a)
      : prefix_(mix64(mix64(mix64(seed + kGoldenGamma) ^
                            (static_cast<std::uint64_t>(domain) * 0xd1342543de82ef95ULL)) +
                      mix64(a * kGoldenGamma + 0x2545f4914f6cdd1dULL))) {}
  constexpr Rng at(std::uint64_t b) const { return Rng(first_state(prefix_, b)); }

  /// For kernels that compute numbers of many streams: the shared part of the name, and the state
  /// in which stream b starts.
  constexpr std::uint64_t prefix() const { return prefix_; }
  static constexpr std::uint64_t first_state(std::uint64_t prefix, std::uint64_t b) {
    return mix64(prefix + b * 0xda942042e4dd58b5ULL);
  }

 private:
  std::uint64_t prefix_;
};

constexpr Rng::Rng(std::uint64_t seed, Domain domain, std::uint64_t a, std::uint64_t b)
    : Rng(Streams(seed, domain, a).at(b)) {}

}  // namespace mcns

// What the benchmarks share: timing of things in turns, so that a disturbed machine disturbs all of
// them alike, and the best turn counts.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace mcns {

template <class Body>
double seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Keeps a result alive that nothing reads.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

struct Subject {
  std::string name;
  std::function<double()> turn;  ///< does some work; seconds per unit of it
  double best = std::numeric_limits<double>::infinity();
};

inline void measure_in_turns(std::vector<Subject>& subjects, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (Subject& subject : subjects) subject.best = std::min(subject.best, subject.turn());
}

}  // namespace mcns

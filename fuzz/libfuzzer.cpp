// The targets for libFuzzer: one program, and MCNS_FUZZ_TARGET names the target. See tools/fuzz.py.
// MCNS_FUZZ_LIST=1 prints the targets; MCNS_FUZZ_SEEDS=FOLDER writes the seeds that the target
// makes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fmt/core.h>

#include "fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const mcns::fuzz::Target& chosen() {
  static const mcns::fuzz::Target& target = []() -> const mcns::fuzz::Target& {
    const char* name = std::getenv("MCNS_FUZZ_TARGET");
    try {
      return mcns::fuzz::find_target(name == nullptr ? "" : name);
    } catch (const std::invalid_argument& error) {
      std::fprintf(stderr, "MCNS_FUZZ_TARGET: %s\n", error.what());
      std::exit(2);
    }
  }();
  return target;
}

void write_seeds(const mcns::fuzz::Target& target, const std::string& folder) {
  if (target.seeds == nullptr) return;
  int count = 0;
  for (const std::string& bytes : target.seeds())
    std::ofstream(fmt::format("{}/seed-{}", folder, count++), std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  if (std::getenv("MCNS_FUZZ_LIST") != nullptr) {
    for (const auto& target : mcns::fuzz::targets())
      fmt::print("{} {}\n", target.name, target.is_text ? "text" : "binary");
    std::exit(0);
  }
  if (const char* folder = std::getenv("MCNS_FUZZ_SEEDS")) {
    write_seeds(chosen(), folder);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mcns::fuzz::run_target(chosen(), {reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, most);
  if (chosen().repair == nullptr) return mutated;
  std::string bytes(reinterpret_cast<const char*>(data), mutated);
  // The seed has 32 bits; what is chosen by it uses all 64.
  chosen().repair(bytes, seed * 0x9e3779b97f4a7c15ULL);
  if (bytes.size() > most) return mutated;
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

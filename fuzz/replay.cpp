// The corpora and mutations of them through every target, with any compiler and without libFuzzer:
// what ./test runs. `fuzz_replay FOLDER [MUTATIONS [TARGET...]]`; FOLDER is that of the corpora.
// Mutations are the same in every run. A finding ends the process; its input stays as `input` in
// /dev/shm/mcns-fuzz-PROCESS.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mcns/core/rng.h"

#include "fuzz/targets.h"

namespace mcns::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 1 << 14;

std::vector<std::string> read_corpus(const fs::path& folder, const Target& target) {
  std::vector<std::string> out;
  if (target.seeds != nullptr) out = target.seeds();
  std::vector<fs::path> files;
  const fs::path own = folder / target.name;
  if (fs::is_directory(own))
    for (const auto& entry : fs::directory_iterator(own)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::ifstream in(path, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

/// Some of what libFuzzer does: bytes changed, inserted, removed, repeated, crossed with another.
std::string mutated(std::string bytes, const std::string& other, Rng& rng) {
  constexpr std::string_view kPieces[] = {
      "\n", "\t",           "0",       "-1", "nan",  "2147483648", "1e400", ",", "\"", "\x00\xff",
      "#",  "\xe2\x80\xae", "\x1b[2J", "%",  "[[[[", "4294967296", "=",     ":"};
  const std::uint64_t changes = 1 + rng.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) {
    const std::size_t at = rng.below(bytes.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + rng.below(16), bytes.size() - at);
    switch (rng.below(6)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(rng.next());
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
        break;
      case 2:
        bytes.insert(at, kPieces[rng.below(std::size(kPieces))]);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, length));
        break;
      default:
        bytes = bytes.substr(0, at) + other.substr(rng.below(other.size() + 1));
    }
  }
  if (bytes.size() > kMostBytes) bytes.resize(kMostBytes);
  return bytes;
}

void replay(const Target& target, const fs::path& folder, std::uint64_t mutations) {
  const auto start = std::chrono::steady_clock::now();
  const auto corpus = read_corpus(folder, target);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no corpus in %s\n", target.name.data(), folder.c_str());
    std::exit(1);
  }
  for (const std::string& bytes : corpus) run_target(target, bytes);
  for (std::uint64_t i = 0; i < mutations; ++i) {
    Rng rng(1, Domain::kTest, i);
    std::string bytes =
        mutated(corpus[rng.below(corpus.size())], corpus[rng.below(corpus.size())], rng);
    if (target.repair != nullptr) target.repair(bytes, rng.next());
    run_target(target, bytes);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::printf("%-12s %4zu files, %llu mutations, %.1f s\n", target.name.data(), corpus.size(),
              static_cast<unsigned long long>(mutations), spent.count());
  std::fflush(stdout);
}

}  // namespace
}  // namespace mcns::fuzz

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: fuzz_replay FOLDER [MUTATIONS [TARGET...]]\n");
    return 2;
  }
  const std::uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  for (const auto& target : mcns::fuzz::targets())
    if (argc <= 3 || std::find(argv + 3, argv + argc, target.name) != argv + argc)
      mcns::fuzz::replay(target, argv[1], mutations);
  return 0;
}

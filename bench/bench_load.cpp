// Loading an integer TSV into a graph, against a bare std::from_chars loop over the same mapped
// file on the same threads. Prints the ratio of the times (the bar is 6) and how much the resident
// set of a fresh process grows while it loads, against the bytes of the graph (the bar is 3).
//
//   bench_load [--edges 10000000] [--nodes 1000000] [--rounds 5] [--weights]
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcns/core/rng.h"
#include "mcns/io/dataset.h"
#include "mcns/io/mapped_file.h"

namespace mcns {
namespace {

struct Settings {
  std::int64_t edges = 10'000'000, nodes = 1'000'000;
  int rounds = 5;
  bool weights = false;
};

struct Measurement {
  double seconds = 0;
  double peak_growth = 0, graph_bytes = 0;
};

void write_edges(const std::string& path, const Settings& settings) {
  Rng rng(1, Domain::kGenerate);
  std::ofstream out(path, std::ios::binary);
  std::string buffer;
  for (std::int64_t i = 0; i < settings.edges; ++i) {
    const auto source = rng.below(settings.nodes), target = rng.below(settings.nodes);
    fmt::format_to(std::back_inserter(buffer), "{}\t{}", source, target);
    if (settings.weights)
      fmt::format_to(std::back_inserter(buffer), "\t{}.{}", rng.below(9), rng.below(99));
    buffer += '\n';
    if (buffer.size() > (1 << 20) || i + 1 == settings.edges) {
      out << buffer;
      buffer.clear();
    }
  }
}

/// Sums every number of [begin, end), so that the loop cannot be dropped.
std::uint64_t sum_numbers(const char* at, const char* end) {
  std::uint64_t sum = 0;
  while (at < end) {
    std::uint32_t value = 0;
    at = std::from_chars(at, end, value).ptr + 1;
    sum += value;
  }
  return sum;
}

std::uint64_t bare_loop(const std::string& path, ThreadPool& pool) {
  const MappedFile file(path);
  const std::string_view text = file.bytes();
  const auto pieces = static_cast<std::size_t>(pool.threads());
  const auto cut = [&](std::size_t i) {
    if (i == 0 || i == pieces) return i * text.size() / pieces;
    return text.find('\n', i * text.size() / pieces) + 1;
  };
  std::vector<std::uint64_t> sums(pieces);
  pool.run(static_cast<std::int64_t>(pieces), [&](std::int64_t i) {
    sums[i] = sum_numbers(text.data() + cut(i), text.data() + cut(i + 1));
  });
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
}

/// A line of /proc/self/status such as VmHWM, in bytes.
double status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":"))
      return std::strtod(line.c_str() + key.size() + 1, nullptr) * 1024;
  return 0;
}

template <class Action>
double seconds_of(const Action& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Measurement measure_load(const std::string& path, bool directed, int threads) {
  ThreadPool pool(threads);
  const double before = status_bytes("VmRSS");
  Measurement out;
  NamedGraph loaded;
  out.seconds =
      seconds_of([&] { loaded = load_graph(path, LoadOptions{.directed = directed}, pool); });
  out.peak_growth = status_bytes("VmHWM") - before;
  out.graph_bytes = static_cast<double>(loaded.graph.bytes());
  return out;
}

Measurement measure_bare(const std::string& path, int threads) {
  ThreadPool pool(threads);
  std::uint64_t sum = 0;
  Measurement out;
  out.seconds = seconds_of([&] { sum = bare_loop(path, pool); });
  if (sum == 0) out.seconds = 0;  // keeps the sum alive
  return out;
}

/// Runs `action` in a child, whose peak is its own.
template <class Action>
Measurement in_child(const Action& action) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    const Measurement result = action();
    const bool sent = ::write(ends[1], &result, sizeof result) == sizeof result;
    ::_exit(sent ? 0 : 1);
  }
  Measurement result;
  const bool received = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  if (!received) std::abort();
  return result;
}

void compare(const std::string& path, int threads, bool directed, const Settings& settings) {
  std::vector<double> bare, load;
  Measurement last;
  for (int round = 0; round < settings.rounds; ++round) {
    bare.push_back(in_child([&] { return measure_bare(path, threads); }).seconds);
    last = in_child([&] { return measure_load(path, directed, threads); });
    load.push_back(last.seconds);
  }
  const double best_bare = *std::min_element(bare.begin(), bare.end());
  const double best_load = *std::min_element(load.begin(), load.end());
  fmt::print(
      "{} thread{} {:10}  from_chars {:6.1f} ms  load {:7.1f} ms  ratio {:5.2f}  "
      "graph {:6.1f} MB  peak {:6.1f} MB  ratio {:4.2f}\n",
      threads, threads == 1 ? " " : "s", directed ? "directed" : "undirected", best_bare * 1e3,
      best_load * 1e3, best_load / best_bare, last.graph_bytes / 1e6, last.peak_growth / 1e6,
      last.peak_growth / last.graph_bytes);
  std::fflush(stdout);
}

Settings parse(int argc, char** argv) {
  Settings out;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::strtoll(argv[++i], nullptr, 10) : 0; };
    if (flag == "--edges") out.edges = value();
    if (flag == "--nodes") out.nodes = value();
    if (flag == "--rounds") out.rounds = static_cast<int>(value());
    if (flag == "--weights") out.weights = true;
  }
  return out;
}

}  // namespace
}  // namespace mcns

int main(int argc, char** argv) {
  const mcns::Settings settings = mcns::parse(argc, argv);
  const auto path =
      (std::filesystem::temp_directory_path() / fmt::format("mcns-bench-{}.tsv", ::getpid()))
          .string();
  mcns::write_edges(path, settings);
  fmt::print("{} edges, {} nodes, {:.1f} MB of text, best of {} in turns\n", settings.edges,
             settings.nodes, static_cast<double>(std::filesystem::file_size(path)) / 1e6,
             settings.rounds);
  for (const int threads : {1, 2})
    for (const bool directed : {false, true}) mcns::compare(path, threads, directed, settings);
  std::filesystem::remove(path);
}

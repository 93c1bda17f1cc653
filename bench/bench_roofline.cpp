// How near the lookup step is to what the machine allows, on one core.
//
// A pair with k = 5 negatives at d = 128 touches 7 rows of 512 bytes, which are read and written:
// 7,168 bytes. It takes 6 products for scores, 6 multiples each way for gradients, and their
// application: 4,736 floating-point operations. The limits are measured in the same run, in turns:
//   arithmetic  independent fused multiply-adds in registers
//   rows        random rows of a table of the same size, read, scaled and written back, with
//               prefetches: what memory gives to this pattern, and no step can be faster that
//               fetches its rows anew for every pair
//   stream      the same rows in order, for context
// The bound is the lower one of arithmetic and rows. Steps: separate negatives, asynchronous and
// deterministic, on uniform pairs. Beside them windows that share their negatives, which fetch
// fewer rows a pair; the bound is not theirs.
//
//   bench_roofline [--rounds 7]
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "mcns/core/generate.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/registry.h"
#include "mcns/train/step.h"

#include "bench/timing.h"

namespace mcns {
namespace {

constexpr int kDim = 128, kNegatives = 5, kRowsPerPair = kNegatives + 2, kBatches = 8;
constexpr double kBytesPerPair = kRowsPerPair * 2.0 * kDim * sizeof(float);
/// Scores, gradients of the source and of the targets, two operations a term; updates of 7 rows.
constexpr double kFlopsPerPair = (kNegatives + 1) * kDim * 2.0 * 3 + kDim;
constexpr double kTurnSeconds = 0.1;

using Vec = float __attribute__((vector_size(64)));

/// Chains of multiply-adds that wait for nothing but themselves; seconds per operation.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) double arithmetic() {
  constexpr int kChains = 12;
  constexpr std::int64_t kRounds = 2'000'000;
  Vec chains[kChains] = {};
  const Vec half = Vec{} + 0.5F;
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < kRounds; ++i)
    for (Vec& v : chains) v = v * half + half;
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const Vec& v : chains) keep(v);
  return spent / (kRounds * kChains * 2.0 * (sizeof(Vec) / sizeof(float)));
}

/// Reads rows in the given order, scales them and writes them back.
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) void traffic(
    Matrix& table, const std::vector<NodeId>& order) {
  constexpr std::size_t kAhead = 24;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const float* next = table.row(order[(i + kAhead) % order.size()]);
    for (int at = 0; at < kDim; at += kRowAlign) __builtin_prefetch(next + at);
    float* row = table.row(order[i]);
    for (int at = 0; at < kDim; at += kRowAlign) {
      Vec* v = reinterpret_cast<Vec*>(row + at);
      *v = *v * 1.0000001F;
    }
  }
}

/// Seconds per row.
std::function<double()> row_traffic(Matrix& table, bool in_order) {
  Rng rng(1, Domain::kGenerate);
  std::vector<NodeId> order(1 << 17);
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<NodeId>(in_order ? i % table.rows() : rng.below(table.rows()));
  return [&table, order] {
    double total = 0;
    std::size_t rows = 0;
    for (; total < kTurnSeconds; rows += order.size())
      total += seconds([&] { traffic(table, order); });
    return total / static_cast<double>(rows);
  };
}

/// Two tables of `nodes` rows each, a graph over them, and what a step needs.
class World {
 public:
  explicit World(NodeId nodes)
      : graph_(generate_graph("erdos-renyi", {.nodes = nodes, .edges = 4 * nodes}, pool_).graph),
        lookup_(nodes, {kDim, true, 1.0}, 0, 1),
        session_(graph_,
                 {.sampler = "rns", .negatives = kNegatives, .dim = kDim, .filter = Filter::kNone},
                 pool_) {
    const auto walks =
        make_positives("walks:walks=1,length=40,window=10,shrink=false", {graph_, 8192, pool_});
    for (int b = 0; b < kBatches; ++b) {
      walks->fill({1, 0, b}, pool_, windows_[b]);
      fill_uniform(b);
    }
  }

  Matrix& table() { return lookup_.parameters(); }
  double megabytes() { return static_cast<double>(table().size() * sizeof(float)) / 1e6; }

  /// Seconds per pair.
  std::function<double()> step(const std::string& kind) {
    const StepParts parts{session_, Logistic{}, Sgd{}, 0.0F, pool_};
    std::shared_ptr<Step> step = kind == "async"   ? make_async_step(parts, lookup_)
                                 : kind == "batch" ? make_batch_step(parts, lookup_)
                                                   : make_window_step(parts, lookup_, true);
    const PairBuffer* batches = kind == "windows" ? windows_ : uniform_;
    return [step, batches, next = std::int64_t{0}]() mutable {
      StepTotals totals;
      while (totals.seconds < kTurnSeconds) {
        step->run({1, 0, next}, batches[next % kBatches], 1e-4F, totals);
        ++next;
      }
      return totals.seconds / static_cast<double>(totals.pairs);
    };
  }

 private:
  void fill_uniform(int b) {
    Rng rng(1, Domain::kGenerate, b);
    PairBuffer& batch = uniform_[b];
    batch.resize(8192);
    for (std::size_t i = 0; i < batch.pairs.size(); ++i) {
      batch.pairs[i] = {static_cast<NodeId>(rng.below(graph_.num_nodes())),
                        static_cast<NodeId>(rng.below(graph_.num_nodes()))};
      batch.serials[i] = i;
    }
  }

  ThreadPool pool_{1};
  Graph graph_;
  Lookup lookup_;
  SamplerSession session_;
  PairBuffer uniform_[kBatches], windows_[kBatches];
};

void print_world(NodeId nodes, int rounds) {
  World world(nodes);
  std::vector<Subject> subjects = {{"arithmetic", arithmetic},
                                   {"rows", row_traffic(world.table(), false)},
                                   {"stream", row_traffic(world.table(), true)},
                                   {"separate negatives, --update async", world.step("async")},
                                   {"separate negatives, --update batch", world.step("batch")},
                                   {"windows share negatives, async", world.step("windows")}};
  measure_in_turns(subjects, rounds);
  const double flops = 1 / subjects[0].best, per_row = subjects[1].best;
  const double from_flops = flops / kFlopsPerPair, from_rows = 1 / (per_row * kRowsPerPair);
  const double bound = std::min(from_flops, from_rows);
  const auto gigabytes = [](double seconds_per_row) {
    return 2 * kDim * sizeof(float) / seconds_per_row / 1e9;
  };
  fmt::print("\ntables of {:.0f} MB, d = {}, k = {}: {:.0f} bytes and {:.0f} flop a pair\n",
             world.megabytes(), kDim, kNegatives, kBytesPerPair, kFlopsPerPair);
  fmt::print("{:40} {:8.1f} GFLOP/s {:8.2f} M pairs/s\n", "limit: arithmetic", flops / 1e9,
             from_flops / 1e6);
  fmt::print("{:40} {:8.1f} GB/s    {:8.2f} M pairs/s\n", "limit: random rows", gigabytes(per_row),
             from_rows / 1e6);
  fmt::print("{:40} {:8.1f} GB/s    {:8.2f} M pairs/s\n", "in order, for context",
             gigabytes(subjects[2].best), 1e-6 / (subjects[2].best * kRowsPerPair));
  for (std::size_t i = 3; i < subjects.size(); ++i)
    fmt::print("{:40} {:17} {:8.2f} M pairs/s, {:3.0f} % of the bound\n", subjects[i].name, "",
               1e-6 / subjects[i].best, 100 / subjects[i].best / bound);
}

}  // namespace
}  // namespace mcns

int main(int argc, char** argv) {
  int rounds = 7;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::string_view(argv[i]) == "--rounds") rounds = std::atoi(argv[i + 1]);
  mcns::print_world(10'312, rounds);   // BlogCatalog's: the last-level cache
  mcns::print_world(500'000, rounds);  // memory
}

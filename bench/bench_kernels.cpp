// The parts that everything hot is made of, by Google Benchmark: kernels on rows, random walks,
// steps of the lookup encoder, ranking. Rates are in items: rows, hops, pairs, scores.
//
//   bench_kernels [--benchmark_filter=REGEX] [--benchmark_repetitions=N] ...
//
// MCNS_SIMD=base|avx2|avx512 chooses a lesser set of kernels. Limits of the machine beside the
// steps: bench_roofline.
#include <benchmark/benchmark.h>

#include "mcns/core/generate.h"
#include "mcns/eval/score_kernels.h"
#include "mcns/positives/registry.h"
#include "mcns/samplers/registry.h"
#include "mcns/train/step.h"

namespace mcns {
namespace {

ThreadPool& pool() {
  static ThreadPool one(1);
  return one;
}

Matrix random_rows(std::int64_t rows, int dim) {
  Matrix out(rows, dim);
  Rng rng(1, Domain::kGenerate);
  for (float& x : out.flat()) x = 0.1F * static_cast<float>(rng.uniform() - 0.5);
  return out;
}

/// Rows of a table that the second-level cache holds, in random order.
struct Rows {
  explicit Rows(int dim, std::int64_t count = 1024) : table(random_rows(count, dim)) {
    Rng rng(2, Domain::kGenerate);
    for (int i = 0; i < 4096; ++i) list.push_back(static_cast<NodeId>(rng.below(count)));
  }
  RowList take(std::size_t first, int count) const {
    return {table.data(), static_cast<std::size_t>(table.stride()), list.data() + first, count};
  }
  Matrix table;
  std::vector<NodeId> list;
};

void dot(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  const int n = rows.table.stride();
  for (auto _ : state)
    for (std::size_t i = 0; i + 1 < rows.list.size(); ++i)
      benchmark::DoNotOptimize(
          kernels().dot(rows.table.row(rows.list[i]), rows.table.row(rows.list[i + 1]), n));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.list.size() - 1));
}
BENCHMARK(dot)->Arg(32)->Arg(64)->Arg(128)->Arg(256);

/// A source against six targets, gathered.
void dots(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  float out[6];
  for (auto _ : state)
    for (std::size_t i = 0; i + 7 <= rows.list.size(); i += 7) {
      kernels().dots(rows.table.row(rows.list[i]), rows.take(i + 1, 6), rows.table.stride(), out);
      benchmark::DoNotOptimize(out);
    }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.list.size() / 7 * 6));
}
BENCHMARK(dots)->Arg(32)->Arg(64)->Arg(128)->Arg(256);

/// Sixteen sources against sixty-four targets, as a pool of proposals is scored.
void products(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  std::vector<float> out(16 * 64);
  for (auto _ : state) {
    kernels().products(rows.take(0, 16), rows.take(100, 64), rows.table.stride(), out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(products)->Arg(32)->Arg(64)->Arg(128)->Arg(256);

/// The sum of some rows, each with its coefficient.
void gather(benchmark::State& state) {
  const Rows rows(static_cast<int>(state.range(0)));
  Matrix sum(1, rows.table.dim());
  const std::vector<float> coefficients(16, 0.1F);
  for (auto _ : state)
    for (std::size_t i = 0; i + 16 <= rows.list.size(); i += 16) {
      kernels().combine(sum.row(0), rows.take(i, 16), coefficients.data(), rows.table.stride());
      benchmark::DoNotOptimize(sum.row(0));
    }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows.list.size()));
}
BENCHMARK(gather)->Arg(32)->Arg(64)->Arg(128)->Arg(256);

/// Score, gradient and update of pairs with five negatives.
void skip_gram(benchmark::State& state) {
  Rows rows(static_cast<int>(state.range(0)));
  alignas(64) const float signs[16] = {-1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1};
  const int stride = rows.table.stride();
  for (auto _ : state)
    for (std::size_t i = 0; i + 28 <= rows.list.size(); i += 14)
      benchmark::DoNotOptimize(
          kernels().skip_gram({}, {},
                              {rows.table.data(), std::size_t(stride), rows.list.data() + i, 2, 6,
                               signs, rows.list.data() + i + 14, 14, 1e-4F, 0},
                              stride));
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>((rows.list.size() / 14 - 1) * 2));
}
BENCHMARK(skip_gram)->Arg(32)->Arg(64)->Arg(128)->Arg(256);

/// Hops of DeepWalk's walks, pairs included, on a graph of that many edges.
void walks(benchmark::State& state) {
  const NodeId nodes = static_cast<NodeId>(state.range(0) / 10);
  const Graph graph =
      generate_graph("power-law", {.nodes = nodes, .edges = state.range(0)}, pool()).graph;
  const auto positives =
      make_positives("walks:walks=1,length=80,window=1,shrink=false", {graph, 8192, pool()});
  PairBuffer batch;
  std::int64_t next = 0, pairs = 0;
  for (auto _ : state) {
    positives->fill({1, 0, next++ % positives->batches_per_epoch()}, pool(), batch);
    pairs += static_cast<std::int64_t>(batch.pairs.size());
  }
  state.SetItemsProcessed(pairs / 2);
}
BENCHMARK(walks)->Arg(100'000)->Arg(1'000'000)->Arg(10'000'000);

/// Pairs of the edges of a user-item graph through a step, bpr and adagrad, sampling included.
void edge_step(benchmark::State& state, const std::string& sampler) {
  const Graph graph =
      generate_graph("bipartite", {.nodes = 20'000, .edges = 400'000, .users = 10'000}, pool())
          .graph;
  Lookup lookup(graph.num_nodes(), {64, true, 1.0}, 1, 1);
  SamplerSession session(graph, {.sampler = sampler}, pool());
  const auto positives = make_positives("edges", {graph, 4096, pool()});
  const auto step = make_batch_step({session, Bpr{}, Adagrad{}, 0.01F, pool()}, lookup);
  PairBuffer batch;
  StepTotals totals;
  std::int64_t next = 0;
  for (auto _ : state) {
    const BatchKey key{1, 0, next++ % positives->batches_per_epoch()};
    positives->fill(key, pool(), batch);
    step->run(key, batch, 0.01F, totals);
  }
  state.SetItemsProcessed(totals.pairs);
}
BENCHMARK_CAPTURE(edge_step, rns, std::string("rns"));
BENCHMARK_CAPTURE(edge_step, dns, std::string("dns"));
BENCHMARK_CAPTURE(edge_step, mcns, std::string("mcns"));

/// Scores of a block of users against all items, as ranking computes them.
void ranking(benchmark::State& state) {
  const int dim = static_cast<int>(state.range(0));
  const Matrix items = random_rows(2048, dim), users = random_rows(dim, kLaneBlock);
  Matrix out(items.rows(), kLaneBlock);
  for (auto _ : state) {
    score_kernels().tile(users.data(), items.data(), items.stride(), static_cast<int>(items.rows()),
                         dim, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * items.rows() * kLaneBlock);
}
BENCHMARK(ranking)->Arg(64)->Arg(128);

}  // namespace
}  // namespace mcns

BENCHMARK_MAIN();

// Full ranking of gowalla's test pairs against a bare single-precision matrix product of the same
// shape (29,858 users x 40,981 items, d = 64), and against a file with the 20 best items of every
// user, on the same threads, in turns.
//
// The product runs in user blocks into a buffer that is reused, by the fastest of several block
// sizes: threads of our own that call a single-threaded BLAS, or the threads of the BLAS.
// Reads $MCNS_DATA/gowalla; without it, a random graph of the same shape takes its place.
// Built where OpenBLAS is installed. It does not recognise processors younger than itself and then
// runs its oldest code: set OPENBLAS_CORETYPE (Haswell, SkylakeX, Cooperlake) for a fair product
// there.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <cblas.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mcns/core/rng.h"
#include "mcns/eval/ranking.h"
#include "mcns/model/list_file.h"

#include "bench/timing.h"

namespace mcns {
namespace {

constexpr NodeId kUsers = 29858, kItems = 40981;
constexpr int kDim = 64, kRounds = 3;

std::vector<Pair> random_pairs(std::int64_t count, std::uint64_t stream) {
  std::vector<Pair> pairs(count);
  Rng rng(1, Domain::kGenerate, stream);
  for (Pair& pair : pairs)
    pair = {static_cast<NodeId>(rng.below(kUsers)),
            kUsers + static_cast<NodeId>(rng.below(kItems))};
  return pairs;
}

std::vector<Pair> read_pairs(const char* name, std::int64_t count, std::uint64_t stream) {
  const char* root = std::getenv("MCNS_DATA");
  std::ifstream file(root != nullptr ? fmt::format("{}/gowalla/{}", root, name) : std::string());
  std::vector<Pair> pairs;
  for (NodeId user, item; file >> user >> item;) pairs.push_back({user, kUsers + item});
  fmt::print("{}: {}\n", name, pairs.empty() ? "random" : "gowalla");
  return pairs.empty() ? random_pairs(count, stream) : pairs;
}

void product(const Matrix& table, NodeId first, NodeId users, std::vector<float>& out) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, users, kItems, kDim, 1.0F, table.row(first),
              table.stride(), table.row(kUsers), table.stride(), 0.0F, out.data(), kItems);
}

double own_threads(const Matrix& table, NodeId block, ThreadPool& pool) {
  openblas_set_num_threads(1);
  std::vector<std::vector<float>> buffers(pool.threads());
  for (auto& buffer : buffers) buffer.resize(static_cast<std::size_t>(block) * kItems);
  std::atomic<NodeId> next{0};
  return seconds([&] {
    pool.run(pool.threads(), [&](std::int64_t thread) {
      for (NodeId first; (first = next.fetch_add(block)) < kUsers;)
        product(table, first, std::min(block, kUsers - first), buffers[thread]);
    });
  });
}

double blas_threads(const Matrix& table, NodeId block, int threads) {
  openblas_set_num_threads(threads);
  std::vector<float> buffer(static_cast<std::size_t>(block) * kItems);
  return seconds([&] {
    for (NodeId first = 0; first < kUsers; first += block)
      product(table, first, std::min(block, kUsers - first), buffer);
  });
}

double bare_product(const Matrix& table, ThreadPool& pool) {
  double best = std::numeric_limits<double>::infinity();
  for (const NodeId block : {96, 256, 512}) {
    best = std::min(best, own_threads(table, block, pool));
    if (pool.threads() > 1) best = std::min(best, blas_threads(table, block, pool.threads()));
  }
  return best;
}

/// As `mcns recommend --all -k 20 --out FILE.tsv` does once the model is loaded.
double lists(const LoadedModel& model, ThreadPool& pool) {
  const auto folder = std::filesystem::temp_directory_path();
  ListFileOptions options;
  options.out = (folder / fmt::format("bench_eval-{}.tsv", getpid())).string();
  const double taken = seconds([&] {
    const EmbeddingView tables{model.embeddings.view(), model.embeddings.view()};
    write_lists(TopLists::of_items(model, tables, all_askers(model.graph.sources()), 20), options,
                pool);
  });
  std::filesystem::remove(options.out);
  return taken;
}

void run() {
  ThreadPool all;
  const auto test = read_pairs("test.tsv", 217242, 1);
  const Graph graph = build_graph({read_pairs("train.tsv", 810128, 2), {}}, kUsers + kItems,
                                  {GraphKind::kBipartite, kUsers}, all);
  Matrix table(kUsers + kItems, kDim);
  Rng rng(1, Domain::kInit);
  for (std::int64_t i = 0; i < table.rows(); ++i)
    for (float& x : table.view()[i]) x = rng.uniformf() - 0.5F;
  const RankingEvaluator evaluator(graph, test, {});
  std::vector<std::int64_t> ids(kUsers + kItems);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  const LoadedModel model{graph, Names(ids), table, {}, ""};
  fmt::print("BLAS: {} as {}\n", openblas_get_config(), openblas_get_corename());
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    double ranking = std::numeric_limits<double>::infinity(), bare = ranking, best = ranking;
    for (int round = 0; round < kRounds; ++round) {
      ranking = std::min(ranking, seconds([&] {
                           evaluator.evaluate({table.view(), table.view()}, pool);
                         }));
      best = std::min(best, lists(model, pool));
      bare = std::min(bare, bare_product(table, pool));
    }
    fmt::print(
        "threads {}: ranking {:.3f} s, bare product {:.3f} s, ratio {:.2f}; lists of 20 {:.3f} s, "
        "{:.2f} of ranking\n",
        threads, ranking, bare, ranking / bare, best, best / ranking);
  }
}

}  // namespace
}  // namespace mcns

int main() { mcns::run(); }

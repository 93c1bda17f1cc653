// The softmax against a pool that a batch shares (train/pool_softmax.h), forward and backward,
// beside the three matrix products that it is made of: scores, gradients of the sources, gradients
// of the pool. Batch 1024, d = 64, one thread, in turns; gathers and masks are included in the
// softmax and not in the products. The products are our own kernel and OpenBLAS; the ratio is that
// to the faster one.
//
//   bench_softmax [--rounds 30]
#include <cstdlib>
#include <string_view>

#include <cblas.h>
#include <fmt/format.h>

#include "mcns/core/rng.h"
#include "mcns/train/pool_softmax.h"

#include "bench/timing.h"

// Of OpenBLAS; its own header is not the one that cblas.h always is.
extern "C" void openblas_set_num_threads(int count);

namespace mcns {
namespace {

constexpr int kBatch = 1024, kDim = 64, kTargets = 40000;

/// A batch of distinct sources with one positive each; a few masked columns for each of them.
struct World {
  explicit World(int size) : table(2 * kTargets, kDim), groups(kTargets) {
    Rng rng(1, Domain::kTest);
    for (std::int64_t v = 0; v < table.rows(); ++v)
      for (int d = 0; d < kDim; ++d) table.row(v)[d] = static_cast<float>(rng.normal()) / 4;
    for (int i = 0; i < kBatch; ++i) sources.push_back(i * 39);
    groups.build(sources);
    for (int i = 0; i < kBatch; ++i) {
      positives.push_back(kTargets + static_cast<NodeId>(rng.below(kTargets)));
      for (int m = 0; m <= size / 1000; ++m)
        columns.push_back(static_cast<std::int32_t>(rng.below(size)));
      first.push_back(static_cast<std::int32_t>(columns.size()));
    }
    for (int j = 0; j < size; ++j)
      pool.push_back(kTargets + static_cast<NodeId>(rng.below(kTargets)));
  }
  PoolBatch batch() const {
    return {table.view(), groups, sources, positives, pool, {}, 0, {}, {}, first, columns};
  }

  Matrix table;
  RowGroups groups;
  std::vector<NodeId> sources, positives, pool;
  std::vector<std::int32_t> first = {0}, columns;
};

void measure(int size, int rounds) {
  ThreadPool pool(1);
  const World world(size);
  PoolSoftmax softmax({}, pool);
  Matrix u(kBatch, kDim), v(size, kDim), transposed(kDim, size), s(kBatch, size), du(kBatch, kDim),
      dv(size, kDim);
  for (float& x : s.flat()) x = 0.5F;
  for (Matrix* m : {&u, &v, &transposed})
    for (float& x : m->flat()) x = 0.25F;
  const auto ours = [&] {
    const Kernels& k = kernels();
    k.multiply({s.data(), s.stride(), u.data(), u.stride(), 1, transposed.data(),
                transposed.stride(), kBatch, size, kDim});
    k.multiply({du.data(), du.stride(), s.data(), s.stride(), 1, v.data(), v.stride(), kBatch, kDim,
                size});
    k.multiply({dv.data(), dv.stride(), s.data(), 1, s.stride(), u.data(), u.stride(), size, kDim,
                kBatch});
  };
  const auto blas = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kBatch, size, kDim, 1, u.data(),
                u.stride(), v.data(), v.stride(), 0, s.data(), s.stride());
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kBatch, kDim, size, 1, s.data(),
                s.stride(), v.data(), v.stride(), 0, du.data(), du.stride());
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, size, kDim, kBatch, 1, s.data(),
                s.stride(), u.data(), u.stride(), 0, dv.data(), dv.stride());
  };
  std::vector<Subject> subjects = {
      {"softmax", [&] { return seconds([&] { softmax.run(world.batch()); }); }},
      {"our products", [&] { return seconds(ours); }},
      {"OpenBLAS", [&] { return seconds(blas); }}};
  measure_in_turns(subjects, rounds);
  const double products = std::min(subjects[1].best, subjects[2].best);
  fmt::print("{:>6} {:>12.2f} {:>12.2f} {:>12.2f} {:>8.2f} {:>9.1f}\n", size,
             subjects[0].best * 1e3, subjects[1].best * 1e3, subjects[2].best * 1e3,
             subjects[0].best / products, 6.0 * kBatch * size * kDim / products * 1e-9);
}

}  // namespace
}  // namespace mcns

int main(int argc, char** argv) {
  int rounds = 30;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::string_view(argv[i]) == "--rounds") rounds = std::atoi(argv[i + 1]);
  openblas_set_num_threads(1);
  fmt::print("{:>6} {:>12} {:>12} {:>12} {:>8} {:>9}\n", "N", "softmax, ms", "ours, ms", "BLAS, ms",
             "ratio", "GFLOP/s");
  for (const int size : {256, 1024, 4096}) mcns::measure(size, rounds);
}

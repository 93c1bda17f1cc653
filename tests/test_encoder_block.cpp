// The way back through a layer's arcs, against plain loops over them.
#include <algorithm>

#include <gtest/gtest.h>

#include "mcns/core/rng.h"
#include "mcns/encoders/block.h"

namespace mcns {
namespace {

/// `most` arcs a row at most, some rows without any; columns are skewed.
Block random_block(std::int32_t outputs, std::int32_t inputs, int most, std::uint64_t seed) {
  Block block;
  Rng rng(seed, Domain::kTest);
  block.outputs = outputs;
  block.inputs = inputs;
  block.offsets.push_back(0);
  for (std::int32_t i = 0; i < outputs; ++i) {
    for (auto n = static_cast<int>(rng.below(most + 1)); n > 0; --n) {
      const double u = rng.uniform();
      block.columns.push_back(static_cast<NodeId>(u * u * inputs));
      block.values.push_back(static_cast<float>(rng.normal()));
    }
    block.offsets.push_back(static_cast<EdgeId>(block.columns.size()));
  }
  return block;
}

Matrix random_rows(std::int64_t rows, int dim) {
  Matrix out(rows, dim);
  Rng rng(9, Domain::kTest);
  for (std::int64_t i = 0; i < rows; ++i)
    for (int j = 0; j < dim; ++j) out.row(i)[j] = static_cast<float>(rng.normal());
  return out;
}

/// The same by one call over all arcs, in order of the rows above.
Matrix expected_back(const Block& block, const Matrix& above, Matrix below, std::int64_t own) {
  std::vector<Arc> arcs;
  for (std::int32_t i = 0; i < block.outputs; ++i)
    for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e)
      arcs.push_back({i, block.columns[e], block.values[e]});
  for (std::int64_t j = own; j < block.inputs; ++j) std::fill_n(below.row(j), below.stride(), 0.0F);
  kernels().scatter(below.data(), arcs.data(), arcs.size(), above.data(), above.stride());
  return below;
}

/// The same bits for any number of threads and any cut into stretches, which follows the width.
TEST(Block, GivesBackArcByArcInOrder) {
  // No arcs at all, fewer rows than stretches, pieces of arcs that end within a row; `own` within a
  // stretch of more than one row.
  for (const auto& [outputs, inputs, most] :
       {std::tuple{3, 2, 0}, {40, 7, 3}, {900, 64, 50}, {4000, 3001, 30}, {200, 100000, 300}})
    for (const int dim : {7, 200})
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        Block block = random_block(outputs, inputs, most, 4);
        const std::int64_t own = inputs / 3 | 1;
        const Matrix above = random_rows(outputs, dim);
        Matrix below = random_rows(inputs, dim);
        const Matrix expected = expected_back(block, above, below, own);
        for (const int turn : {1, 2}) {  // again: nothing is left over
          Matrix got = below;
          block.give_back(above.view(), got.view(), own, pool);
          ASSERT_TRUE(std::ranges::equal(got.flat(), expected.flat()))
              << outputs << " " << inputs << " " << dim << " " << threads << " " << turn;
        }
      }
}

TEST(Block, GivesBackWhatTheTransposedMatrixDoes) {
  ThreadPool pool(2);
  Block block = random_block(500, 300, 40, 5);
  const Matrix above = random_rows(block.outputs, 20);
  Matrix below = random_rows(block.inputs, 20);
  std::vector<double> expected(static_cast<std::size_t>(block.inputs) * 20);
  const int own = 101;
  for (int i = 0; i < own * 20; ++i) expected[i] = below.row(i / 20)[i % 20];
  for (std::int32_t i = 0; i < block.outputs; ++i)
    for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e)
      for (int j = 0; j < 20; ++j)
        expected[block.columns[e] * 20 + j] += double{block.values[e]} * above.row(i)[j];
  block.give_back(above.view(), below.view(), own, pool);
  for (std::int32_t i = 0; i < block.inputs; ++i)
    for (int j = 0; j < 20; ++j) ASSERT_NEAR(below.row(i)[j], expected[i * 20 + j], 1e-4);
}

}  // namespace
}  // namespace mcns

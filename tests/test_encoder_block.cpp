// The way back through a layer's arcs: every arc once, in order, in the stretch that owns its row;
// sums against plain loops; the same bits for any number of threads and any width of stretches.
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

Matrix back(Block& block, const Matrix& above, int stride, ThreadPool& pool) {
  Matrix below(block.inputs, above.dim());
  block.deal(stride, pool);
  pool.run(block.stretches(), [&](std::int64_t i) {
    Block::distribute(block.stretch(i), above.view(), below.view());
  });
  return below;
}

TEST(Block, DealsEveryArcOnceAndInOrder) {
  ThreadPool pool(3);
  // None at all, fewer rows than stretches, pieces of arcs that end within a row.
  for (const auto& [outputs, inputs, most] :
       {std::tuple{3, 2, 0}, {40, 7, 3}, {900, 64, 50}, {4000, 3001, 30}, {200, 100000, 300}}) {
    Block block = random_block(outputs, inputs, most, 4);
    block.deal(32, pool);
    std::int64_t row = 0;
    std::vector<std::vector<std::pair<NodeId, float>>> got(inputs), expected(inputs);
    for (std::int64_t i = 0; i < block.stretches(); ++i) {
      const Block::Stretch stretch = block.stretch(i);
      ASSERT_EQ(stretch.begin, row);
      row = stretch.end;
      for (const Arc& arc : stretch.arcs) {
        ASSERT_TRUE(arc.column >= stretch.begin && arc.column < stretch.end);
        got[arc.column].emplace_back(arc.row, arc.value);
      }
    }
    ASSERT_EQ(row, inputs);
    for (std::int32_t i = 0; i < outputs; ++i)
      for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e)
        expected[block.columns[e]].emplace_back(i, block.values[e]);
    ASSERT_EQ(got, expected) << outputs << " " << inputs;
  }
}

TEST(Block, GivesBackWhatTheTransposedMatrixDoes) {
  ThreadPool pool(2);
  Block block = random_block(500, 300, 40, 5);
  const Matrix above = random_rows(block.outputs, 20);
  const Matrix below = back(block, above, above.stride(), pool);
  std::vector<double> expected(static_cast<std::size_t>(block.inputs) * 20);
  for (std::int32_t i = 0; i < block.outputs; ++i)
    for (EdgeId e = block.offsets[i]; e < block.offsets[i + 1]; ++e)
      for (int j = 0; j < 20; ++j)
        expected[block.columns[e] * 20 + j] += double{block.values[e]} * above.row(i)[j];
  for (std::int32_t i = 0; i < block.inputs; ++i)
    for (int j = 0; j < 20; ++j) ASSERT_NEAR(below.row(i)[j], expected[i * 20 + j], 1e-4);
}

TEST(Block, TheSameBitsForAnyThreadsAndStretches) {
  Block block = random_block(20000, 5000, 20, 6);
  const Matrix above = random_rows(block.outputs, 8);
  ThreadPool one(1);
  const Matrix expected = back(block, above, 16, one);
  for (const int threads : {1, 2, 5})
    for (const int stride : {16, 4096, 65536}) {
      ThreadPool pool(threads);
      const Matrix below = back(block, above, stride, pool);
      ASSERT_TRUE(std::ranges::equal(below.flat(), expected.flat())) << threads << " " << stride;
    }
}

}  // namespace
}  // namespace mcns

// Every instruction set that this CPU runs, against sums in double.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "mcns/core/kernels.h"
#include "mcns/core/matrix.h"
#include "mcns/core/rng.h"
#include "mcns/samplers/tail.h"

namespace mcns {
namespace {

class KernelsOf : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& k_ = *GetParam();
};
INSTANTIATE_TEST_SUITE_P(Sets, KernelsOf, testing::ValuesIn(runnable_kernels()),
                         [](const auto& info) { return std::string(info.param->name); });

Matrix random_matrix(std::int64_t rows, int dim, std::uint64_t seed) {
  Matrix out(rows, dim);
  Rng rng(seed, Domain::kTest);
  for (float& x : out.flat()) x = static_cast<float>(rng.normal());
  return out;
}

double reference_dot(const float* a, const float* b, int n, double* size = nullptr) {
  double sum = 0, absolute = 0;
  for (int i = 0; i < n; ++i) {
    sum += double{a[i]} * b[i];
    absolute += std::fabs(double{a[i]} * b[i]);
  }
  if (size != nullptr) *size = absolute;
  return sum;
}

constexpr double kEpsilon = 1.2e-7;  // of a float
constexpr int kWidest = 272;

TEST_P(KernelsOf, ProductsMatchSumsInDouble) {
  for (int n = 16; n <= kWidest; n += 16) {
    const Matrix rows = random_matrix(11, n, n);
    std::vector<NodeId> list = {3, 1, 4, 1, 5, 9, 2, 6, 5, 10, 0};
    std::vector<float> out(list.size());
    for (int count = 0; count <= static_cast<int>(list.size()); ++count) {
      k_.dots(rows.row(7), {rows.data(), std::size_t(rows.stride()), list.data(), count}, n,
              out.data());
      for (int i = 0; i < count; ++i) {
        double size = 0;
        const double expected = reference_dot(rows.row(7), rows.row(list[i]), n, &size);
        EXPECT_NEAR(out[i], expected, size * kEpsilon * 8) << n;
        EXPECT_NEAR(k_.dot(rows.row(7), rows.row(list[i]), n), expected, size * kEpsilon * 8) << n;
      }
    }
  }
}

TEST_P(KernelsOf, AScoreDoesNotDependOnItsPlaceInTheList) {
  for (const int n : {16, 48, 64, 112, kWidest}) {
    const Matrix rows = random_matrix(9, n, 100 + n);
    float alone = 0;
    const NodeId wanted = 5;
    const std::size_t stride = rows.stride();
    k_.dots(rows.row(0), {rows.data(), stride, &wanted, 1}, n, &alone);
    for (int count = 1; count <= 9; ++count)
      for (int place = 0; place < count; ++place) {
        std::vector<NodeId> list(count, 2);
        list[place] = wanted;
        std::vector<float> out(count);
        k_.dots(rows.row(0), {rows.data(), stride, list.data(), count}, n, out.data());
        EXPECT_EQ(out[place], alone);
      }
  }
}

TEST_P(KernelsOf, ProductsAreTheSameSumsAsDots) {
  for (const int n : {16, 32, 80, 128, kWidest})
    for (int height = 0; height <= 9; ++height)
      for (int width = 0; width <= 9; ++width) {
        const Matrix a = random_matrix(12, n, 1), b = random_matrix(15, n, 2);
        std::vector<NodeId> rows(height), columns(width);
        for (int i = 0; i < height; ++i) rows[i] = (i * 5) % 12;
        for (int j = 0; j < width; ++j) columns[j] = (j * 7) % 15;
        const RowList left{a.data(), std::size_t(a.stride()), rows.data(), height};
        const RowList right{b.data(), std::size_t(b.stride()), columns.data(), width};
        std::vector<float> all(height * width + 1, 7.0F), row(width);
        k_.products(left, right, n, all.data());
        for (int i = 0; i < height; ++i) {
          k_.dots(a.row(rows[i]), right, n, row.data());
          for (int j = 0; j < width; ++j)
            ASSERT_EQ(all[i * width + j], row[j]) << height << "x" << width << ", n = " << n;
        }
        EXPECT_EQ(all.back(), 7.0F) << "wrote beyond the end";
      }
}

TEST_P(KernelsOf, PairedDotsAreTheDotsOfPairs) {
  const Matrix a = random_matrix(9, 48, 1), b = random_matrix(15, 48, 2);
  for (const int count : {1, 3, 4, 7, 64}) {
    std::vector<NodeId> rows(count), columns(count);
    for (int i = 0; i < count; ++i) {
      rows[i] = (i * 5) % 9;
      columns[i] = (i * 7) % 15;
    }
    std::vector<float> out(count + 1, 7.0F);
    k_.paired_dots({a.data(), std::size_t(a.stride()), rows.data(), count},
                   {b.data(), std::size_t(b.stride()), columns.data(), count}, 48, out.data());
    for (int i = 0; i < count; ++i) {
      float expected = 0;
      k_.dots(a.row(rows[i]), {b.data(), std::size_t(b.stride()), &columns[i], 1}, 48, &expected);
      ASSERT_EQ(out[i], expected) << i << " of " << count;
    }
    EXPECT_EQ(out.back(), 7.0F) << "wrote beyond the end";
  }
}

TEST_P(KernelsOf, NumbersAreThoseOfTheStreams) {
  const Streams streams(5, Domain::kTest, 3);
  for (const int count : {1, 7, 8, 64})
    for (const int k : {1, 2, 5}) {
      std::vector<std::uint64_t> names(count), out(count * k);
      for (int i = 0; i < count; ++i) names[i] = 1000003ULL * i;
      k_.stream_numbers(streams.prefix(), names.data(), count, k, out.data());
      for (int i = 0; i < count; ++i) {
        Rng rng = streams.at(names[i]);
        for (int j = 0; j < k; ++j) EXPECT_EQ(out[j * count + i], rng.next());
      }
    }
}

TEST_P(KernelsOf, ExponentialsAreMinusLogsOfTheStream) {
  Rng rng(2, Domain::kTest);
  std::vector<float> out(75);
  k_.exponentials(rng.state(), 75, out.data());
  for (const float x : out) {
    const double expected = -std::log(rng.uniformf() + 0x1p-25);
    EXPECT_NEAR(x, expected, 3e-6 * (1 + expected));
  }
}

TEST_P(KernelsOf, NextNumbersAndExponentialsGoOnInEveryStream) {
  for (const int count : {1, 16, 23})
    for (const int k : {1, 5}) {
      std::vector<std::uint64_t> states(count), numbers(count * k);
      std::vector<float> exponentials(count * k);
      std::vector<Rng> rngs;
      for (int i = 0; i < count; ++i) {
        rngs.emplace_back(2, Domain::kTest, i);
        states[i] = rngs[i].state();
      }
      k_.next_numbers(states.data(), count, k, numbers.data());
      k_.next_exponentials(states.data(), count, k, exponentials.data());
      for (int i = 0; i < count; ++i)
        for (int j = 0; j < k; ++j) {
          Rng same = rngs[i];
          ASSERT_EQ(numbers[j * count + i], rngs[i].next());
          const double expected = -std::log(same.uniformf() + 0x1p-25);
          ASSERT_NEAR(exponentials[j * count + i], expected, 3e-6 * (1 + expected));
        }
    }
}

TEST_P(KernelsOf, LogisticLossesMatchDouble) {
  constexpr float kMargin = 0.4F;
  for (const auto& [pairs, n] : {std::pair(1, 1), {1, 6}, {2, 6}, {3, 5}, {16, 1}, {1, 37}}) {
    const int count = pairs * n;
    std::vector<float> s(count + 1, 7.0F);
    double expected = 0;
    for (int i = 0; i < count; ++i) {
      s[i] = static_cast<float>(i % 2 == 0 ? i * i * 0.3 : -i * i * 0.3);
      const double x = (i % n == 0 ? -1 : 1) * (double{s[i]} - kMargin);
      expected += std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
    }
    const std::vector<float> before = s;
    EXPECT_NEAR(k_.logistic_losses({kMargin}, s.data(), pairs, n), expected, 1e-5 * (1 + expected));
    for (int i = 0; i < count; ++i) {
      const double sign = i % n == 0 ? -1 : 1;
      EXPECT_NEAR(s[i], sign / (1 + std::exp(-sign * (double{before[i]} - kMargin))), 2e-6);
    }
    EXPECT_EQ(s[count], 7.0F) << "wrote beyond the end";
  }
}

TEST_P(KernelsOf, LogisticLossesTellOfScoresThatAreNotFinite) {
  using Limits = std::numeric_limits<float>;
  for (const float bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
    for (const int n : {1, 6, 16, 37})
      for (int at = 0; at < n; ++at) {
        std::vector<float> s(n, -0.5F);
        s[at] = bad;
        EXPECT_FALSE(std::isfinite(k_.logistic_losses({}, s.data(), 1, n))) << bad << " at " << at;
      }
}

TEST_P(KernelsOf, LogEnergiesStopAtTheFloor) {
  std::vector<float> scores = {-3, 0, 1e-3F, 1e-2F, 0.5F, 1, 7, 1e4F}, out(8);
  k_.log_energies(scores.data(), 1e-2F, 0.75F, 8, out.data());
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(out[i], -0.75 * std::log(std::max(scores[i], 1e-2F)), 1e-5) << scores[i];
}

TEST_P(KernelsOf, SoftmaxTermsMatchDouble) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  for (const int n : {1, 5, 16, 63, 64, 65, 200}) {
    Rng rng(n, Domain::kTest);
    std::vector<float> x(n + 1);
    for (float& v : x) v = static_cast<float>(rng.normal() * 20 - 300);
    x[n] = 7;
    if (n > 1) x[n / 2] = kNone;
    const std::vector<float> before = x;
    const float top = *std::max_element(before.begin(), before.end() - 1);
    std::vector<float> sums((n + kSoftmaxBlock - 1) / kSoftmaxBlock);
    k_.softmax_terms(x.data(), n, 0.8F, sums.data());
    std::vector<double> expected(sums.size());
    for (int i = 0; i < n; ++i) {
      const double exact = std::exp(0.8 * (double{before[i]} - top));
      EXPECT_NEAR(x[i], exact, 1e-5 * exact + 1e-37) << before[i] - top;
      expected[i / kSoftmaxBlock] += exact;
    }
    if (n > 1) EXPECT_EQ(x[n / 2], 0.0F) << "an excluded one";
    for (std::size_t b = 0; b < sums.size(); ++b)
      EXPECT_NEAR(sums[b], expected[b], 1e-5 * expected[b]);
    EXPECT_EQ(x[n], 7.0F) << "wrote beyond the end";
  }
}

TEST_P(KernelsOf, AxpyAndAccumulateMatchDouble) {
  for (int n = 16; n <= kWidest; n += 16) {
    const Matrix x = random_matrix(10, n, n);
    Matrix y = random_matrix(2, n, n + 1);
    const Matrix before = y;
    k_.axpy(y.row(0), 0.37F, x.row(3), n);
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(y.row(0)[i], before.row(0)[i] + 0.37F * double{x.row(3)[i]}, 1e-6);
      EXPECT_EQ(y.row(1)[i], before.row(1)[i]);
    }
    const std::vector<NodeId> list = {9, 0, 3, 3, 7, 1, 2};
    const std::vector<float> c = {0.5F, -1.25F, 2.0F, 0.1F, 0.0F, -0.7F, 1.0F};
    for (int count = 0; count <= 7; ++count) {
      Matrix sum = before, fresh = before;
      k_.combine(fresh.row(0), {x.data(), std::size_t(x.stride()), list.data(), count}, c.data(),
                 n);
      k_.accumulate(sum.row(0), {x.data(), std::size_t(x.stride()), list.data(), count}, c.data(),
                    n);
      for (int i = 0; i < n; ++i) {
        double expected = before.row(0)[i];
        for (int r = 0; r < count; ++r) expected += double{c[r]} * x.row(list[r])[i];
        EXPECT_NEAR(sum.row(0)[i], expected, 1e-5);
        EXPECT_NEAR(fresh.row(0)[i], expected - before.row(0)[i], 1e-5);
        EXPECT_EQ(fresh.row(1)[i], before.row(1)[i]);
        EXPECT_EQ(sum.row(1)[i], before.row(1)[i]);
      }
    }
  }
}

/// Sums are made in order, so cutting a list in two changes nothing.
TEST_P(KernelsOf, AccumulateIsTheSameInOneCallOrMany) {
  const int n = 80;
  const Matrix x = random_matrix(10, n, 3);
  const std::vector<NodeId> list = {9, 0, 3, 3, 7, 1, 2, 8, 4};
  const std::vector<float> c = {0.5F, -1.25F, 2.0F, 0.1F, 0.3F, -0.7F, 1.0F, 3.0F, -2.0F};
  const auto part = [&](int from, int to) {
    return RowList{x.data(), std::size_t(x.stride()), list.data() + from, to - from};
  };
  Matrix whole(1, n);
  k_.accumulate(whole.row(0), part(0, 9), c.data(), n);
  for (const int cut : {4, 8}) {
    Matrix pieces(1, n);
    k_.accumulate(pieces.row(0), part(0, cut), c.data(), n);
    k_.accumulate(pieces.row(0), part(cut, 9), c.data() + cut, n);
    for (int i = 0; i < n; ++i) EXPECT_EQ(pieces.row(0)[i], whole.row(0)[i]);
  }
}

TEST_P(KernelsOf, ScatterAddsArcByArc) {
  for (int n = 16; n <= kWidest; n += 16) {
    const Matrix x = random_matrix(30, n, n);
    Matrix y = random_matrix(4, n, n + 1), expected = y;
    std::vector<Arc> arcs;
    for (NodeId i = 0; i < 40; ++i) arcs.push_back({i * 7 % 30, i % 3, 0.1F * float(i) - 1});
    for (const Arc& arc : arcs) k_.axpy(expected.row(arc.column), arc.value, x.row(arc.row), n);
    k_.scatter(y.data(), arcs.data(), arcs.size(), x.data(), n);
    k_.scatter(y.data(), arcs.data(), 0, x.data(), n);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y.data()[i], expected.data()[i], 1e-5);
    for (int i = 0; i < n; ++i) EXPECT_EQ(y.row(3)[i], expected.row(3)[i]);
  }
}

TEST_P(KernelsOf, OptimizerStepsMatchTheirFormulas) {
  for (int n = 16; n <= kWidest; n += 32) {
    const Matrix w = random_matrix(1, n, 5), g = random_matrix(1, n, 6);
    Matrix state = random_matrix(2, n, 7);
    for (float& x : state.flat()) x *= x;
    Matrix sgd = w, adagrad = w, sums = state, adam = w, moments = state;
    k_.sgd({}, sgd.row(0), g.row(0), nullptr, 0.1F, n);
    k_.adagrad({}, adagrad.row(0), g.row(0), sums.row(0), 0.1F, n);
    k_.adam({}, adam.row(0), g.row(0), moments.row(0), 0.1F, n);
    for (int i = 0; i < n; ++i) {
      const double w0 = w.row(0)[i], gradient = g.row(0)[i], a = state.row(0)[i],
                   b = state.row(1)[i];
      EXPECT_NEAR(sgd.row(0)[i], w0 - 0.1 * gradient, 1e-6);
      const double sum = a + gradient * gradient;
      EXPECT_NEAR(sums.row(0)[i], sum, 1e-6 * (1 + sum));
      EXPECT_NEAR(adagrad.row(0)[i], w0 - 0.1 * gradient / (std::sqrt(sum) + 1e-8), 1e-6);
      const double first = 0.9 * a + 0.1 * gradient,
                   second = 0.999 * b + 0.001 * gradient * gradient;
      EXPECT_NEAR(moments.row(0)[i], first, 1e-6 * (1 + std::fabs(a)));
      EXPECT_NEAR(moments.row(1)[i], second, 1e-6 * (1 + second));
      const double step = 0.1 * first / (std::sqrt(second) + 1e-8);
      EXPECT_NEAR(adam.row(0)[i], w0 - step, 1e-5 * (1 + std::fabs(step)));
    }
  }
}

TEST_P(KernelsOf, TailEnergiesAreThoseOfTheDistribution) {
  for (const int candidates : {2, 5, 24, 25, 300, 4000}) {
    const TailDistribution distribution(candidates);
    const Tail tail{0.7F, 0.4F};
    std::vector<float> scores, out(401);
    for (int i = -200; i <= 200; ++i)
      scores.push_back(tail.threshold + 0.05F * static_cast<float>(i));
    k_.tail_energies(scores.data(), distribution.shape(tail), 401, out.data());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double expected = distribution.energy(tail, scores[i]);
      EXPECT_NEAR(out[i], expected, 1e-5 * expected + 1e-12) << candidates << " at " << scores[i];
    }
  }
}

/// Pairs of rows that occur once: then the order of updates does not matter.
TEST_P(KernelsOf, SkipGramDescendsAsWrittenOut) {
  constexpr float kMargin = 0.3F, kRate = 0.05F;
  for (const int n : {16, 64, 128, kWidest})
    for (const auto& [pairs, width] : {std::pair(1, 1), {1, 6}, {2, 6}, {5, 3}, {1, 16}, {8, 2}})
      for (const float l2 : {0.0F, 0.2F}) {
        const double keep = 1 - kRate * l2;
        Matrix table = random_matrix(40, n, n);
        for (float& x : table.flat()) x *= 0.3F;
        const Matrix before = table;
        std::vector<NodeId> rows(pairs * (width + 1));
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<NodeId>(39 - i);
        alignas(64) float signs[16] = {};
        for (int i = 0; i < pairs * width; ++i) signs[i] = i % width == 0 ? -1.0F : 1.0F;
        const float loss = k_.skip_gram({kMargin}, {},
                                        {table.data(), std::size_t(table.stride()), rows.data(),
                                         pairs, width, signs, rows.data(), 2, kRate, l2},
                                        n);
        double expected = 0;
        for (int i = 0; i < pairs; ++i) {
          const NodeId* row = rows.data() + i * (width + 1);
          std::vector<double> to(n);
          for (int d = 0; d < n; ++d) to[d] = keep * before.row(row[0])[d];
          for (int j = 1; j <= width; ++j) {
            const double sign = j == 1 ? -1 : 1;
            const double x =
                sign * (reference_dot(before.row(row[0]), before.row(row[j]), n) - kMargin);
            const double slope = sign / (1 + std::exp(-x));
            expected += std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
            for (int d = 0; d < n; ++d) {
              to[d] -= kRate * slope * before.row(row[j])[d];
              EXPECT_NEAR(table.row(row[j])[d],
                          keep * before.row(row[j])[d] - kRate * slope * before.row(row[0])[d],
                          1e-5);
            }
          }
          for (int d = 0; d < n; ++d) EXPECT_NEAR(table.row(row[0])[d], to[d], 1e-5);
        }
        EXPECT_NEAR(loss, expected, 1e-5 * (1 + expected)) << pairs << " x " << width;
      }
}

/// A negative may be the source itself: the gradient of |x|^2 is twice x, beside what the others
/// do.
TEST_P(KernelsOf, SkipGramOfARowWithItself) {
  constexpr float kRate = 0.05F;
  constexpr int kWidth = 3, kSource = 2;
  const NodeId rows[] = {kSource, 0, kSource, 1};
  alignas(64) const float signs[16] = {-1, 1, 1};
  for (const int n : {16, 64, 128, kWidest})
    for (const float l2 : {0.0F, 0.2F}) {
      const double keep = 1 - kRate * l2;
      Matrix table = random_matrix(3, n, n + 1);
      for (float& x : table.flat()) x *= 0.3F;
      const Matrix before = table;
      const float* source = before.row(kSource);
      k_.skip_gram(
          {}, {},
          {table.data(), std::size_t(table.stride()), rows, 1, kWidth, signs, rows, 0, kRate, l2},
          n);
      std::vector<double> to(n);
      for (int d = 0; d < n; ++d) to[d] = keep * source[d];
      for (int j = 0; j < kWidth; ++j) {
        const float* target = before.row(rows[j + 1]);
        const double slope =
            signs[j] / (1 + std::exp(-signs[j] * reference_dot(source, target, n)));
        for (int d = 0; d < n; ++d) to[d] -= kRate * slope * target[d] * (target == source ? 2 : 1);
      }
      for (int d = 0; d < n; ++d) EXPECT_NEAR(table.row(kSource)[d], to[d], 1e-5) << n;
    }
}

TEST_P(KernelsOf, ZeroGradientsOfUntouchedPaddingStayZero) {
  Matrix w(1, 16), g(1, 16), state(2, 16);
  k_.adagrad({}, w.row(0), g.row(0), state.row(0), 0.1F, 16);
  k_.adam({}, w.row(0), g.row(0), state.row(0), 0.1F, 16);
  for (const float x : w.flat()) EXPECT_EQ(x, 0.0F);
}

TEST_P(KernelsOf, FindsNumbersThatAreNotFinite) {
  const float bad[] = {
      std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
      std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  for (int n = 16; n <= kWidest; n += 16) {
    Matrix x = random_matrix(1, n, n);
    x.row(0)[0] = std::numeric_limits<float>::max();
    x.row(0)[1] = std::numeric_limits<float>::denorm_min();
    EXPECT_FALSE(k_.any_not_finite(x.row(0), n));
    for (int i = 0; i < n; ++i)
      for (const float value : bad) {
        const float old = std::exchange(x.row(0)[i], value);
        EXPECT_TRUE(k_.any_not_finite(x.row(0), n));
        x.row(0)[i] = old;
      }
  }
}

}  // namespace
}  // namespace mcns

// The thread pool: every piece once, exceptions, nesting.
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcns/core/parallel.h"

#include "tests/sanitized.h"
#include "tests/test_io_files.h"

namespace mcns {
namespace {

class PoolOf : public testing::TestWithParam<int> {
 protected:
  ThreadPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, PoolOf, testing::Values(1, 2, 3, 7));

TEST_P(PoolOf, RunsEveryPieceOnce) {
  EXPECT_EQ(pool_.threads(), GetParam());
  for (const std::int64_t pieces : {0, 1, 2, 3, 100, 5000}) {
    std::vector<std::atomic<int>> calls(pieces);
    pool_.run(pieces, [&](std::int64_t i) { ++calls[i]; });
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
  }
}

TEST_P(PoolOf, CutsRangesWithoutGapOrOverlap) {
  for (const std::int64_t n : {0, 1, 9, 10, 11, 1000})
    for (const std::int64_t grain : {1, 3, 10, 5000}) {
      std::vector<std::atomic<int>> calls(n);
      pool_.for_ranges(n, grain, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_LE(end - begin, grain);
        EXPECT_EQ(begin % grain, 0);
        for (std::int64_t i = begin; i < end; ++i) ++calls[i];
      });
      for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
    }
}

TEST_P(PoolOf, ManyShortCallsInARow) {
  std::atomic<std::int64_t> sum{0};
  for (int call = 0; call < 2000; ++call)
    pool_.run(5, [&](std::int64_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
  EXPECT_EQ(sum.load(), 2000 * 10);
}

TEST_P(PoolOf, ExceptionsReachTheCallerAndThePoolGoesOn) {
  for (int round = 0; round < 20; ++round) {
    try {
      pool_.run(50, [&](std::int64_t i) {
        if (i % 7 == 3) throw std::runtime_error("piece");
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "piece");
    }
    std::atomic<int> calls{0};
    pool_.run(50, [&](std::int64_t) { ++calls; });
    EXPECT_EQ(calls.load(), 50);
  }
}

TEST_P(PoolOf, ACallFromInsideAPieceWorks) {
  std::vector<std::atomic<int>> calls(20 * 30 * 4);
  pool_.for_ranges(20, 1, [&](std::int64_t outer, std::int64_t) {
    pool_.for_ranges(30, 7, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t inner = begin; inner < end; ++inner)
        pool_.run(4, [&](std::int64_t i) { ++calls[(outer * 30 + inner) * 4 + i]; });
    });
  });
  for (const auto& count : calls) ASSERT_EQ(count.load(), 1);
  EXPECT_THROW(pool_.run(4,
                         [&](std::int64_t) {
                           pool_.run(4, [](std::int64_t) { throw std::runtime_error("inner"); });
                         }),
               std::runtime_error);
  std::atomic<int> after{0};
  pool_.run(8, [&](std::int64_t) { ++after; });
  EXPECT_EQ(after.load(), 8);
}

TEST_P(PoolOf, APoolInsideAPieceOfAnotherWorks) {
  std::atomic<int> calls{0};
  pool_.run(6, [&](std::int64_t) {
    ThreadPool inner(2);
    inner.run(10, [&](std::int64_t) { ++calls; });
  });
  EXPECT_EQ(calls.load(), 60);
}

TEST(ThreadPool, RefusesSillyCounts) {
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [] { ThreadPool pool(-1); }), "-1"));
  EXPECT_TRUE(contains(error_of(ErrorKind::kUsage, [] { ThreadPool pool(5000); }), "4096"));
  EXPECT_EQ(ThreadPool(0).threads(), hardware_threads());
}

/// Bits that say what went wrong in the child of a fork; 0 where all is well.
int use_after_fork(std::unique_ptr<ThreadPool>& pool) {
  int wrong = 0;
  try {
    pool->run(10, [](std::int64_t) {});
    wrong |= 1;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kRuntime || !contains(error.what(), "fork()")) wrong |= 2;
  }
  pool.reset();
  std::atomic<int> calls{0};
  ThreadPool(3).run(10, [&](std::int64_t) { ++calls; });
  return calls.load() == 10 ? wrong : wrong | 4;
}

TEST(ThreadPool, AChildProcessGetsAnErrorAndDoesNotHang) {
  if (kThreadSanitizer) GTEST_SKIP() << "it lets no child of a process with threads start threads";
  auto pool = std::make_unique<ThreadPool>(3);
  pool->run(10, [](std::int64_t) {});
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends it where it hangs
    _exit(use_after_fork(pool));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::atomic<int> calls{0};
  pool->run(10, [&](std::int64_t) { ++calls; });
  EXPECT_EQ(calls.load(), 10) << "the parent's pool still works";
}

}  // namespace
}  // namespace mcns

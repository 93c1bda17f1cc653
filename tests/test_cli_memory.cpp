// What `mcns info` says about the memory of a run, against the peak of that run.
#include "tests/run_binary.h"
#include "tests/sanitized.h"

namespace mcns {
namespace {

TEST(InfoMemory, IsNearThePeakOfTheRun) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  const ScratchFolder folder;
  const auto graph = folder.path("graph.bin");
  ASSERT_EQ(
      run_mcns(folder, "data generate bipartite " + graph + " --nodes 20000 --edges 200000 --quiet")
          .code,
      0);
  for (const char* settings : {"--encoder lookup --dim 128", "--encoder graphsage --dim 32",
                               "--encoder gcn:fanout=25/10 --dim 32", "--encoder lightgcn --dim 32",
                               "--encoder lookup --dim 32 --sampler mix:0.5*kbgan+0.5*pinsage"}) {
    const std::string run = fmt::format("{} {} --threads 2", graph, settings);
    const auto info = run_for_json(folder, "info " + run);
    const auto done = run_for_json(
        folder,
        fmt::format("train {} --epochs 1 --quiet --force --out {}", run, folder.path("model")));
    const double stated = info["memory"]["total"].get<double>() / (1 << 20);
    const double peak = done["peak_rss_mb"];
    EXPECT_GT(stated, 0.8 * peak) << settings;
    EXPECT_LT(stated, 1.25 * peak) << settings;
  }
}

}  // namespace
}  // namespace mcns

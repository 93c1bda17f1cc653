// Runs that would lose their work without a word: nobody reads the messages, nothing can be
// written, nothing is learned.
#include "tests/run_binary.h"

namespace mcns {
namespace {

namespace fs = std::filesystem;

TEST(Unsaved, ARunWhoseErrorsNobodyReadsGoesOn) {
  const ScratchFolder folder;
  const auto edges = folder.write("g.tsv", "a b\nb c\nc d\nd a\na e\n");
  const std::string pipe = folder.path("pipe");
  // The only reader of the pipe is gone when the program starts.
  const auto done =
      run_mcns(folder, "train " + edges + " --dim 4 --epochs 3 --out " + folder.path("model"),
               fmt::format("mkfifo {0}; (exec 3<{0}) & exec 2>{0}; wait;", pipe));
  EXPECT_EQ(done.code, 0);
  EXPECT_TRUE(fs::exists(folder.path("model/metrics.json")));
}

TEST(Unsaved, AnOutThatCannotBeWrittenIsFoundBeforeTraining) {
  const ScratchFolder folder;
  const auto edges = folder.write("g.tsv", "a b\nb c\nc d\nd a\na e\n");
  for (const std::string out : {"/proc/mcns/model", "/dev/null/model"})
    expect_failure(folder, "train " + edges + " --dim 4 --epochs 1000000000 --out " + out, 4, out);
}

TEST(Unsaved, ARunWithoutAnyPairIsRefused) {
  const ScratchFolder folder;
  std::string edges;
  for (int u = 0; u < 4; ++u)
    for (int i = 0; i < 4; ++i) edges += fmt::format("u{}\ti{}\n", u, i);
  const auto train = " --bipartite separate --saturated skip --dim 4 --epochs 1 --quiet --out " +
                     folder.path("model");
  expect_failure(folder, "train " + folder.write("all.tsv", edges) + train, 3,
                 "leaves no pair to learn from");
  EXPECT_EQ(run_mcns(folder, "train " + folder.write("some.tsv", edges + "u5\ti1\n") + train).code,
            0);
}

}  // namespace
}  // namespace mcns

// Numbers of experiments and mixtures that no run can have.
#include "mcns/reproduce/spec.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

TEST(CraftedExperiments, CountsAreIntegersInRange) {
  const ScratchFolder folder;
  const std::string begin = "title = \"x\"\ntask = \"recommend\"\nmetrics = [\"mrr\"]\n";
  const auto refuse = [&](const std::string& text, const std::string& part) {
    folder.write("table-x.toml", begin + text);
    const auto message =
        error_of(ErrorKind::kData, [&] { read_experiment(folder.path("."), "table-x"); });
    EXPECT_TRUE(contains(message, part)) << message;
  };
  for (const char* folds : {"-1", "0", "1001", "99999999999999", "2.5", "\"2\"", "nan"})
    refuse(fmt::format("folds = {}\n", folds),
           "table-x.toml:4: 'folds' must be an integer from 1 to 1000");
  refuse("tune = -1\n", "'tune' must be an integer from 0 to 10000");
  refuse("[quick]\nfolds = 0\n", "table-x.toml:5: 'folds'");
  refuse("folds = 2\ntune = 0\n", "no cells");
}

TEST(CraftedMixtures, WeightsAddUpToAFiniteNumber) {
  const ScratchFolder folder;
  const auto edges = folder.write("edges.tsv", "a b\nb c\nc d\nd a\n");
  const std::string train = "train " + edges + " --out " + folder.path("out") + " --sampler ";
  expect_failure(folder, train + "'mix:1e308*rns+1e308*dns'", 2, "sum to inf, expected a finite");
  expect_failure(folder, train + "'mix:0*rns+0*dns'", 2, "sum to 0, expected a finite");
}

}  // namespace
}  // namespace mcns

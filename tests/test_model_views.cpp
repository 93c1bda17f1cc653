// What a report shows of a model.
#include "mcns/report/model_views.h"

#include "tests/run_binary.h"

namespace mcns {
namespace {

/// Users that are linked to all items have no negatives to show.
TEST(ModelViews, HardnessLeavesOutWhoHasNoNegatives) {
  const ScratchFolder folder;
  std::string edges = "u5\ti1\n";
  for (int u = 0; u < 4; ++u)
    for (int i = 0; i < 4; ++i) edges += fmt::format("u{}\ti{}\n", u, i);
  const auto model = folder.path("model");
  for (const char* sampler : {"mcns:step=ensemble", "mcns:form=exp", "mcns", "dns"}) {
    ASSERT_EQ(run_mcns(folder, "train " + folder.write("some.tsv", edges) +
                                   " --bipartite separate --saturated skip --dim 4 --epochs 1 "
                                   "--quiet --force --negatives 1 --sampler " +
                                   sampler + " --out " + model)
                  .code,
              0);
    ThreadPool pool(1);
    const Hardness hardness = measure_hardness(model, pool);
    EXPECT_EQ(hardness.draws, 8) << sampler;  // one edge, eight rounds
    EXPECT_GE(hardness.mean, 0);
    EXPECT_LE(hardness.mean, 1);
  }
}

}  // namespace
}  // namespace mcns

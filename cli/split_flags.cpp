#include "cli/split_flags.h"

#include "mcns/core/error.h"
#include "mcns/plan/options.h"

namespace mcns::cli {

LoadOptions SplitFlags::options() const {
  LoadOptions out;
  out.task = parse_task(task);
  require(out.task != Task::kClassify,
          "--task classify has no split files, its labels are divided at evaluation; valid: "
          "recommend, linkpred");
  const bool separate =
      bipartite == "separate" || (bipartite == "none" && out.task == Task::kRecommend);
  out.bipartite = bipartite == "shared" ? Bipartite::kShared
                  : separate            ? Bipartite::kSeparate
                                        : Bipartite::kNone;
  require(!directed || out.bipartite == Bipartite::kNone,
          "--directed is for link prediction on one set of nodes");
  out.directed = directed;
  return out;
}

void add_split_flags(CLI::App& command, SplitFlags& flags) {
  command.add_option("--task", flags.task, "recommend or linkpred")->required();
  command
      .add_option("--bipartite", flags.bipartite,
                  "first column users, second items; ids in one space or in two (recommend: two)")
      ->check(CLI::IsMember({"none", "shared", "separate"}))
      ->capture_default_str();
  command.add_flag("--directed", flags.directed, "(a, b) and (b, a) are two edges");
}

}  // namespace mcns::cli

// Flags that `data split` and `data check` share: what the pairs of a split mean.
#pragma once

#include <string>

#include "mcns/io/dataset.h"

#include "cli/command.h"

namespace mcns::cli {

struct SplitFlags {
  std::string task, bipartite = "none";
  bool directed = false;

  /// Two id spaces where recommend is not told otherwise, as in `mcns run`.
  LoadOptions options() const;
};

void add_split_flags(CLI::App& command, SplitFlags& flags);

}  // namespace mcns::cli

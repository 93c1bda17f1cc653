// Fetches a public dataset into a folder of its own, in the form that resolve_dataset finds.
#pragma once

#include <string>

#include "mcns/io/datasets_table.h"
#include "mcns/io/download.h"

namespace mcns {

struct GetReport {
  std::string folder, digest;
  bool pinned = false;      ///< the digest was compared with a known one
  bool downloaded = false;  ///< false where the file was there already
  BuildCounts counts;
  EdgeId edges = 0;
  NodeId nodes = 0;
};

/// Makes `folder`, downloads into it unless the file is there with the right digest, and converts
/// it to text edges, and labels where there are some. `force` downloads again.
GetReport get_dataset(const Downloadable& dataset, const std::string& folder, bool force,
                      ThreadPool& pool, const DownloadProgress& progress = {});

}  // namespace mcns

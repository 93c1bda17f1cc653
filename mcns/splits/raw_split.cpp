#include "mcns/splits/raw_split.h"

#include <utility>

#include "mcns/core/error.h"
#include "mcns/io/assemble.h"
#include "mcns/io/read_files.h"

namespace mcns {
namespace {

HeldOut held_out(RawEdges edges) {
  HeldOut out;
  out.labels.assign(edges.pairs.size(), 1);
  for (std::size_t i = 0; i < edges.values.size(); ++i) out.labels[i] = edges.values[i] != 0.0F;
  out.pairs = std::move(edges.pairs);
  return out;
}

}  // namespace

RawSplit read_split(const DatasetFiles& files, Task task, const LoadOptions& options,
                    ThreadPool& pool) {
  require(!files.valid.empty() || !files.test.empty(),
          "a split has held-out pairs: neither a valid nor a test file was given");
  auto [sources, honoured] = read_files(files, task, options, pool);
  if (options.on_read) options.on_read(sources[0].edges.report);
  Rows rows = assign_rows(sources, {}, "", honoured.bipartite_kind(), pool);

  RawSplit out;
  if (!files.test.empty()) out.test = held_out(std::move(sources.back().edges));
  if (!files.valid.empty()) out.valid = held_out(std::move(sources[1].edges));
  out.train = std::move(sources[0].edges.pairs);
  out.names = std::move(rows.names);
  out.users = rows.users;
  return out;
}

}  // namespace mcns

// Lists of the best few for everybody, as a file: .tsv, .jsonl or .npz (text also packed: .gz,
// .zst).
//
//   .tsv    user, rank, item, score below a header; for neighbours node, rank, neighbor, score.
//           With names a column `name`; where somebody has the popular list a column `source` with
//           model or popular.
//   .jsonl  a line per asker: {"user": id, "source": "model", "results": [{"rank", "id", "score"}]}
//   .npz    user_ids [n], item_ids [m], items [n, k]: places in item_ids, -1 after the last; scores
//           [n, k]; popular [n]; item_names [m] with names. For neighbours node_ids, neighbor_ids.
//
// Lists are made block by block and kept in PATH.partial until all are there; the file itself is
// written whole or not at all. Its bytes do not depend on the number of threads or on pauses.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "mcns/io/delimited.h"
#include "mcns/model/top_lists.h"

namespace mcns {

struct ListFileOptions {
  std::string out;
  bool resume = false;      ///< keep the blocks that an interrupted call has left
  NamesById names;          ///< readable names of what is listed; may be empty
  bool with_names = false;  ///< whether names are written
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::int64_t done, std::int64_t all)> progress;  ///< may be empty
};

/// Throws where the ending is none of those above.
void check_list_name(const std::string& path);

/// False where it was interrupted: the blocks that are done stay in PATH.partial.
bool write_lists(const TopLists& lists, const ListFileOptions& options, ThreadPool& pool);

}  // namespace mcns

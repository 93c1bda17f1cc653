// Vectors of any tool as a model, so that the evaluators can score them.
#pragma once

#include <string>
#include <vector>

#include "mcns/io/model_directory.h"

namespace mcns {

struct VectorSource {
  std::string vectors;     ///< .npy, .npz, or text as word2vec writes it
  std::string nodes;       ///< the ids of its rows: one a line, or row, id and kind; may be empty
  std::string train;       ///< file with training edges; may be empty
  bool user_item = false;  ///< whether users and items must be told apart
  std::vector<std::string> pairs = {};  ///< more files of pairs that show who is user, who item
};

/// Ids are those of `nodes`, else those in the file, else row numbers. Users and items are told by
/// kinds of the nodes file or of the .npz; by ids that all begin with user: or item:, as `export`
/// writes them; else by the columns of `train` and `pairs`, where rows that are in none are left
/// out.
LoadedModel load_vectors(const VectorSource& source, const LoadOptions& options, ThreadPool& pool);

}  // namespace mcns

#include "mcns/eval/evaluator.h"

#include "mcns/core/error.h"

namespace mcns {

void require_rows(const EmbeddingView& embeddings, std::int64_t nodes) {
  const auto& [source, target] = embeddings;
  require(source.rows == nodes && target.rows == nodes,
          "embeddings must have one row per node ({}), got {} and {} rows", nodes, source.rows,
          target.rows);
  require(source.dim == target.dim && source.dim > 0,
          "the two tables must have the same positive dimension, got {} and {}", source.dim,
          target.dim);
}

}  // namespace mcns

// A trained model in memory.
#pragma once

#include "mcns/model/scores.h"

#include "src/binding.h"

namespace mcns::python {

struct Model {
  LoadedModel loaded;
  std::string history_jsonl, history_csv, metrics_json;
  std::string weights;  ///< the bytes of weights.npz; empty unless it is of a network

  const Graph& graph() const { return loaded.graph; }
  EmbeddingView tables() const { return saved_score_tables(loaded, "the model"); }
  void save(const std::string& path, bool force) const;
  static std::unique_ptr<Model> load(const std::string& path);
};

/// Everything of `files`, and the weights of a network.
std::unique_ptr<Model> copy_of(const ModelFiles& files, Encoder& encoder);

}  // namespace mcns::python

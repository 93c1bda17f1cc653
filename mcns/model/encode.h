// Vectors of a trained network for a graph, nodes that training never saw included.
#pragma once

#include <string>

#include "mcns/core/matrix.h"
#include "mcns/io/dataset.h"

namespace mcns {

struct EncodeRequest {
  std::string model;     ///< model directory of a network
  std::string graph;     ///< all edges to aggregate over, those of training included
  std::string features;  ///< of its nodes, where the model reads features
  LoadOptions load;      ///< of the graph; what is unset is as in training
};

struct EncodedGraph {
  NamedGraph data;
  Matrix vectors;
  NodeId unseen = 0;  ///< nodes that training did not know
};

EncodedGraph encode(const EncodeRequest& request, ThreadPool& pool);
/// The same for a graph in memory.
EncodedGraph encode(const std::string& model, NamedGraph graph, const std::string& features,
                    ThreadPool& pool);

}  // namespace mcns

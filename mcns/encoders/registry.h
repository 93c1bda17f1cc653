// The encoders by name. An entry describes an encoder.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcns/core/registry.h"
#include "mcns/encoders/encoder.h"

namespace mcns {

/// What the memory of an encoder depends on, beside its parameters.
struct EncoderSizes {
  const Graph& graph;
  int dim = 64, tables = 1;
  std::int64_t batch_draws = 0;  ///< sources, targets and negatives of a batch, repeated ones too
};

struct EncoderBytes {
  std::uint64_t parameters = 0;    ///< without gradients and optimizer state
  std::uint64_t tables = 0;        ///< current vectors, and what computing all of them takes
  std::uint64_t coefficients = 0;  ///< of the arcs
  std::uint64_t batch = 0;         ///< blocks, vectors and gradients of a batch
};

struct EncoderEntry : Component {
  std::function<std::unique_ptr<Encoder>(const Parameters&, const EncoderContext&)> make = nullptr;
  /// Vectors are computed from the graph; else the parameters are the vectors, which may have two
  /// tables and be updated in place.
  bool network = true;
  bool reads_features = false;
  /// What it allocates for a whole run; not counted where empty.
  std::function<EncoderBytes(const Parameters&, const EncoderSizes&)> bytes = nullptr;
};
using EncoderRegistry = Registry<EncoderEntry>;

const EncoderRegistry& builtin_encoders();

/// `lookup`, `gcn:layers=2`, ... Graph, pool and features must outlive it.
std::unique_ptr<Encoder> make_encoder(const std::string& text, const EncoderContext& context,
                                      const EncoderRegistry& registry = builtin_encoders());

}  // namespace mcns

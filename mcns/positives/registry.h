// The kinds of positives by name. An entry describes one kind.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcns/core/registry.h"
#include "mcns/positives/positive_sampler.h"

namespace mcns {

struct PositiveEntry : Component {
  std::function<std::unique_ptr<PositiveSampler>(const Parameters&, const PositiveContext&)> make =
      nullptr;
  /// Arcs that have a column in an alias table where the graph is weighted.
  std::function<EdgeId(const Graph&)> weighted_arcs = nullptr;
  /// The share of all nodes that are positives of a node (breadth.h); empty: only its links are.
  std::function<double(const Parameters&, const Graph&, bool without_links)> breadth = nullptr;
  /// Largest window whose pairs may share negatives; empty: pairs have no windows.
  std::function<int(const Parameters&)> window = nullptr;
};
using PositiveRegistry = Registry<PositiveEntry>;

const PositiveRegistry& builtin_positives();

/// `edges`, `walks:length=40,window=5`, ... The graph must outlive the sampler.
std::unique_ptr<PositiveSampler> make_positives(
    const std::string& text, const PositiveContext& context,
    const PositiveRegistry& registry = builtin_positives());

}  // namespace mcns

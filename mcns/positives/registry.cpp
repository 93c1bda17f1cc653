// The positives by name: one line each.
#include "mcns/positives/registry.h"

#include "mcns/core/error.h"

namespace mcns {
namespace {

struct Entry {
  const char* name;
  std::unique_ptr<PositiveSampler> (*make)(Spec&, const PositiveContext&);
  const char* help;
  std::vector<ParameterInfo> parameters;
};

const std::vector<ParameterInfo> kWalkParameters = {
    {"walks", "10", "walks from each node in an epoch"},
    {"length", "40", "nodes of a walk"},
    {"window", "10", "largest distance of a context from its centre"},
    {"shrink", "true", "draw each centre's window from 1..window, as word2vec does"},
    {"share", "true", "a window's pairs share negatives where the sampler has one law for all"},
    {"teleport", "0",
     "probability that a step jumps to any node: keeps far pairs' scores bounded"}};

std::vector<ParameterInfo> node2vec_parameters() {
  auto all = kWalkParameters;
  all.push_back({"p", "1", "return parameter: large values avoid going back"});
  all.push_back({"q", "1", "in-out parameter: large values stay near"});
  return all;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {"edges", make_edge_positives, "every edge once an epoch; centres follow degree", {}},
      {"walks", make_walk_positives, "DeepWalk: pairs within a window of random walks",
       kWalkParameters},
      {"node2vec", make_node2vec_positives, "second-order walks by rejection, O(edges) memory",
       node2vec_parameters()},
      {"dfs",
       make_dfs_positives,
       "the depth-first sequence of Algorithm 2, one positive a visit",
       {}}};
  return all;
}

}  // namespace

std::unique_ptr<PositiveSampler> make_positives(const std::string& text,
                                                const PositiveContext& context) {
  Spec spec = Spec::parse(text);
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (spec.name() == entry.name) return entry.make(spec, context);
    known.emplace_back(entry.name);
  }
  throw_unknown("positives", spec.name(), known);
}

std::vector<ComponentInfo> list_positives() {
  std::vector<ComponentInfo> out;
  for (const Entry& entry : entries()) out.push_back({entry.name, entry.help, entry.parameters});
  return out;
}

}  // namespace mcns

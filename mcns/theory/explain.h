// Which negatives a source got, and why: how hard they were, how popular, how often they were
// positives that training did not know, and how its chain moved.
//
// Hardness is the quantile of a negative's score among all allowed targets when it was drawn:
// uniform draws have 0.5 on average, the hardest possible 1. Means and shares count a draw by its
// weight in the loss.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/io/dataset.h"
#include "mcns/samplers/watch.h"

namespace mcns {

/// How a Markov chain moves: consecutive draws compared.
struct ChainFigures {
  double moved = 0;            ///< part of draws that differ from the one before
  double autocorrelation = 0;  ///< lag 1, of score quantiles: scores themselves drift in training
  double effective = 0;        ///< independent draws that these are worth
};

/// Draws of some epochs.
struct ExplainBand {
  std::int64_t first_epoch = 0, last_epoch = 0;  ///< from 1
  std::int64_t draws = 0, distinct = 0;
  double hardness = 0;                ///< mean score quantile
  double above_90 = 0, above_99 = 0;  ///< share of draws above that quantile
  double popularity = 0;              ///< mean quantile of the degree among the allowed targets
  double held_out = 0;  ///< share of draws that are held-out positives: false negatives
  std::optional<ChainFigures> chain;
};

struct TopNegative {
  NodeId node;
  std::int64_t draws;
  float score;  ///< when it was drawn last, as is the rank
  double rank;  ///< 1 is the highest score among the allowed targets
  EdgeId degree;
  bool held_out;
};

struct DrawPoint {
  double popularity, quantile;
};

struct Explanation {
  NodeId source = 0;
  EdgeId degree = 0;
  NodeId allowed = 0;
  std::string sampler;
  bool weighted = false;                 ///< whether draws have weights of their own
  std::optional<std::int64_t> held_out;  ///< positives held out; none where they are not known
  double held_out_uniform = 0;           ///< share of them among uniform draws
  ExplainBand all;
  std::vector<ExplainBand> bands;
  std::vector<TopNegative> top;   ///< most drawn first
  std::vector<double> histogram;  ///< share of draws by score quantile, bins of equal width
  std::vector<DrawPoint> points;  ///< of draws, evenly spread over all
};

struct ExplainOptions {
  std::string sampler = "";  ///< its name, for the reader
  bool chain = false;        ///< whether consecutive draws are states of a chain
  std::optional<std::vector<NodeId>> held_out = std::nullopt;  ///< true targets of the source
  int bands = 10, top = 10, bins = 20, points = 1500;
};

/// The true pairs of the held-out sets that have `source` at either end; at the first where edges
/// have a direction.
std::vector<NodeId> held_out_targets(const Graph& graph, NodeId source,
                                     const std::vector<const HeldOut*>& sets);

/// Throws unless the node can get negatives: it needs training edges and an allowed target.
void require_negatives(const Graph& graph, Filter filter, NodeId source, const std::string& name);

/// The row of a source by name; throws with what is known otherwise.
NodeId find_source(const Graph& graph, const Names& names, const std::string& name);

Explanation explain(const Watch& watch, const Graph& graph, const ExplainOptions& options);

}  // namespace mcns

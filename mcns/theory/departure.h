// Where a sampler's distribution p_n departs from p_d^alpha on a real graph, and the risk by
// degree: the paper's principle for a trained model.
//
// p_d(v) is the share of training edges that end in v, p_n(v) the share of negatives, over a sample
// of sources that count by their training pairs, as in training. Both are averaged over bands of
// the target's degree, and log p_n = alpha log p_d + c is fitted over the bands by least squares.
#pragma once

#include <string>
#include <vector>

#include "mcns/model/frozen_model.h"

namespace mcns {

/// Targets of similar degree.
struct DegreeBand {
  EdgeId low = 0, high = 0;  ///< smallest and largest degree in the band
  NodeId targets = 0;
  double p_d = 0, p_n = 0;  ///< shares of all positives and of all negatives
  double ratio = 0;         ///< p_n over the fitted c p_d^alpha; 0 where there is no fit
  std::int64_t positives = 0, negatives = 0;    ///< seen
  double positive_risk = 0, negative_risk = 0;  ///< mean logistic loss of those seen

  double mean_p_d() const { return p_d / targets; }
  double mean_p_n() const { return p_n / targets; }
};

struct Departure {
  std::string sampler;
  std::int64_t sources = 0, positives = 0, negatives = 0;
  double alpha = 0, log_factor = 0;  ///< of the fit; NaN with fewer than two bands to fit
  std::vector<DegreeBand> bands;     ///< by rising degree; those without targets are left out
};

struct DepartureOptions {
  int sources = 200;  ///< at most
  int rounds = 50;    ///< negatives are drawn so often for each training pair of a source
  int bands = 8;      ///< of equal width in the logarithm of the degree; degree 0 apart
};

Departure measure_departure(const FrozenModel& model, const DepartureOptions& options,
                            std::uint64_t seed, ThreadPool& pool);

}  // namespace mcns

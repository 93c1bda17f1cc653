#include "mcns/eval/metrics.h"

#include "mcns/core/error.h"

namespace mcns {

double value_of(const Metrics& metrics, std::string_view name) {
  std::vector<std::string> known;
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
    known.push_back(metric.name);
  }
  throw_unknown("metric", name, known);
}

}  // namespace mcns

#include "mcns/compare/verdict.h"

#include <algorithm>

namespace mcns {
namespace {

MeanAndSpread summary_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  return {mean(values), standard_deviation(values), static_cast<int>(values.size())};
}

const Metric* find_metric(const Metrics& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

/// Mean of each user over the runs.
std::map<NodeId, MeanAndSpread> by_user(const std::vector<RunRecord>& runs) {
  std::map<NodeId, MeanAndSpread> out;
  for (const RunRecord& run : runs)
    for (const UserValue& user : run.users) {
      MeanAndSpread& sum = out[user.user];
      sum.count += 1;
      sum.mean += (user.value - sum.mean) / sum.count;
    }
  return out;
}

}  // namespace

MeanAndSpread summarize(const std::vector<RunRecord>& runs, const std::string& metric) {
  std::vector<double> values;
  for (const RunRecord& run : runs)
    if (const Metric* found = find_metric(run.test, metric)) values.push_back(found->value);
  return summary_of(values);
}

MeanAndSpread summarize_validation(const std::vector<RunRecord>& runs) {
  std::vector<double> values;
  for (const RunRecord& run : runs) values.push_back(run.selection());
  return summary_of(values);
}

Comparison compare_runs(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                        const std::string& metric, double overlap) {
  const CommonRuns runs = common_runs(a, b);
  std::vector<double> of_a, of_b;
  for (const RunRecord& run : runs.a) of_a.push_back(value_of(run.test, metric));
  for (const RunRecord& run : runs.b) of_b.push_back(value_of(run.test, metric));
  Comparison out;
  out.count = static_cast<int>(of_a.size());
  if (out.count >= 2)
    out.repeats = paired_t_test(of_a, of_b, overlap);
  else if (out.count == 1)
    out.repeats.difference = of_a[0] - of_b[0];
  const auto users_a = by_user(runs.a), users_b = by_user(runs.b);
  std::vector<double> values_a, values_b;
  for (const auto& [user, value] : users_a) {
    const auto same = users_b.find(user);
    if (same == users_b.end()) continue;
    values_a.push_back(value.mean);
    values_b.push_back(same->second.mean);
  }
  out.user_count = static_cast<int>(values_a.size());
  if (out.user_count >= 2) out.users = paired_t_test(values_a, values_b);
  return out;
}

CommonRuns common_runs(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b) {
  CommonRuns out;
  for (const RunRecord& run : a) {
    const auto same = std::ranges::find(b, run.repeat, &RunRecord::repeat);
    if (same == b.end()) continue;
    out.a.push_back(run);
    out.b.push_back(*same);
  }
  return out;
}

std::optional<std::size_t> strongest(const std::vector<std::vector<RunRecord>>& contestants,
                                     std::size_t own) {
  std::optional<std::size_t> best;
  double value = 0;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    if (i == own) continue;
    const CommonRuns runs = common_runs(contestants[own], contestants[i]);
    if (runs.a.empty()) continue;
    const double lead = summarize_validation(runs.b).mean - summarize_validation(runs.a).mean;
    if (best && lead <= value) continue;
    best = i;
    value = lead;
  }
  return best;
}

const char* verdict_name(Verdict verdict) {
  constexpr const char* kNames[] = {"won", "tied", "lost"};
  return kNames[static_cast<int>(verdict)];
}

Verdict judge(double difference, double p_value, double level) {
  if (p_value >= level) return Verdict::kTied;
  return difference > 0 ? Verdict::kWon : Verdict::kLost;
}

}  // namespace mcns

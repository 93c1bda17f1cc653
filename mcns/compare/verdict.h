// Who won, and whether that could be chance.
//
// Contestants have runs by repeat, the same repeats for all: seeds of one split, or folds. The
// strongest rival is chosen on validation; the difference on test is tested, paired by repeat and,
// where folds overlap, with the variance that Nadeau and Bengio give; and, beside it, paired by
// user over the means of each user's runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mcns/compare/run_record.h"
#include "mcns/eval/statistics.h"

namespace mcns {

struct MeanAndSpread {
  double mean = 0, deviation = 0;
  int count = 0;
};

/// Of a metric on test. Runs without it are left out.
MeanAndSpread summarize(const std::vector<RunRecord>& runs, const std::string& metric);
/// Of what is chosen by.
MeanAndSpread summarize_validation(const std::vector<RunRecord>& runs);

struct Comparison {
  TTest repeats;               ///< a - b over the repeats that both have; p is 1 for fewer than two
  int count = 0;               ///< of those repeats
  std::optional<TTest> users;  ///< over users, where the task has them
  int user_count = 0;
};

/// Test values of `metric`. `overlap` as in paired_t_test.
Comparison compare_runs(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b,
                        const std::string& metric, double overlap);

/// The runs of both that have the same repeats, in the order of `a`.
struct CommonRuns {
  std::vector<RunRecord> a, b;
};
CommonRuns common_runs(const std::vector<RunRecord>& a, const std::vector<RunRecord>& b);

/// The index of the contestant that is strongest on validation, measured against `own` over the
/// repeats that both have: one that lacks some is not favoured by easy ones. `own` is no candidate,
/// nor are those without such repeats. Nothing where there is none.
std::optional<std::size_t> strongest(const std::vector<std::vector<RunRecord>>& contestants,
                                     std::size_t own);

enum class Verdict { kWon, kTied, kLost };
const char* verdict_name(Verdict verdict);
/// `p_value` is corrected for the number of tests already.
Verdict judge(double difference, double p_value, double level = 0.05);

}  // namespace mcns

#include "mcns/reproduce/claims.h"

#include <algorithm>
#include <utility>

namespace mcns {
namespace {

constexpr const char* kOwn = "mcns";

const char* outcome_text(Outcome outcome) {
  constexpr const char* kTexts[] = {"holds: ", "does not hold: ", "not decided: ", ""};
  return kTexts[static_cast<int>(outcome)];
}

/// Points of one series in one column, by rising x.
struct Series {
  const ReproduceResult& result;
  const SeriesSpec& spec;
  std::vector<const CellResult*> points;

  const std::string& metric() const { return result.spec.metrics[0]; }
  double value(const CellResult& cell) const { return summarize(cell.runs, metric()).mean; }
  std::string at(const CellResult& cell) const {
    const std::string text = figure_text(metric(), value(cell));
    return cell.cell.x ? fmt::format("{} at {}", text, number_text(*cell.cell.x)) : text;
  }
  const CellResult* best() const {
    return *std::ranges::max_element(points, {}, [&](const auto* cell) { return value(*cell); });
  }
};

/// a - b by the test that there is: +1 and -1 where it finds a difference, 0 where it does not.
struct Found {
  int sign = 0;
  std::string text;
};

Found compare_cells(const Series& series, const CellResult& a, const CellResult& b) {
  const std::string& metric = series.metric();
  const Comparison c =
      compare_runs(a.runs, b.runs, metric, overlap_of(series.result, a.cell, metric));
  const bool folds = c.count >= 2;
  if (!folds && !c.users) return {0, "one fold, no test"};
  const TTest& test = folds ? c.repeats : *c.users;
  const std::string over =
      folds ? fmt::format("{} folds", c.count) : fmt::format("{} users of one fold", c.user_count);
  return {test.p_value >= 0.05  ? 0
          : test.difference > 0 ? 1
                                : -1,
          fmt::format("{}, {} over {}", difference_text(metric, test.difference),
                      p_text(test.p_value), over)};
}

Outcome outcome_of(int sign, int wanted) {
  return sign == 0 ? Outcome::kOpen : sign == wanted ? Outcome::kHolds : Outcome::kFails;
}

Claim slope(const Series& s, int wanted) {
  const CellResult &first = *s.points.front(), &last = *s.points.back();
  const Found found = compare_cells(s, last, first);
  return {"", "", "", outcome_of(found.sign, wanted),
          fmt::format("{} {}, {} ({})", s.metric(), s.at(first), s.at(last), found.text)};
}

Claim peak(const Series& s) {
  const auto inner = std::ranges::max_element(s.points.begin() + 1, s.points.end() - 1, {},
                                              [&](const auto* cell) { return s.value(*cell); });
  const CellResult &first = *s.points.front(), &last = *s.points.back(), &top = **inner;
  const Found left = compare_cells(s, top, first), right = compare_cells(s, top, last);
  const int lower = std::min(left.sign, right.sign);
  return {"", "", "", outcome_of(lower, 1),
          fmt::format("{} {}, {} (top minus this: {}), {} (top minus this: {})", s.metric(),
                      s.at(top), s.at(first), left.text, s.at(last), right.text)};
}

Claim below(const Series& s, const CellResult& level) {
  const CellResult& best = *s.best();
  const Found found = compare_cells(s, level, best);
  return {"", "", "", outcome_of(found.sign, 1),
          fmt::format("MCNS {} {}, the best of the series {} (MCNS minus that: {})", s.metric(),
                      s.at(level), s.at(best), found.text)};
}

Claim trend(const Series& s) {
  const CellResult &first = *s.points.front(), &last = *s.points.back(), &best = *s.best();
  return {"", "", "", Outcome::kTold,
          fmt::format("{} {}, {}; highest {}", s.metric(), s.at(first), s.at(last), s.at(best))};
}

/// Differences that tables do not show do not count.
Claim under(const Series& s, const Series& other) {
  constexpr double kShown = 1e-4;
  int lower = 0, higher = 0;
  std::string values;
  for (const CellResult* point : s.points)
    for (const CellResult* same : other.points) {
      if (same->cell.x != point->cell.x) continue;
      const double gap = s.value(*point) - other.value(*same);
      lower += gap < -kShown;
      higher += gap > kShown;
      values += fmt::format("{}{} against {}", values.empty() ? "" : ", ", s.at(*point),
                            figure_text(s.metric(), other.value(*same)));
    }
  const Outcome outcome = higher > 0  ? Outcome::kFails
                          : lower > 0 ? Outcome::kHolds
                                      : Outcome::kOpen;
  return {"", "", "", outcome,
          fmt::format("{} of {} against {}: {}", s.metric(), s.spec.name, other.spec.name, values)};
}

double seconds_of(const CellResult& cell) {
  double sum = 0;
  for (const RunRecord& run : cell.runs) sum += run.seconds;
  return sum / static_cast<double>(cell.runs.size());
}

/// Of all series of a column at once.
Claim fastest(const std::vector<const CellResult*>& cells) {
  const CellResult *own = nullptr, *other = nullptr;
  for (const CellResult* cell : cells) {
    if (cell->cell.sampler == kOwn)
      own = cell;
    else if (other == nullptr || seconds_of(*cell) < seconds_of(*other))
      other = cell;
  }
  if (own == nullptr || other == nullptr) return {};
  const double factor = seconds_of(*other) / seconds_of(*own);
  return {"", "", "", factor >= 2 ? Outcome::kHolds : Outcome::kFails,
          fmt::format("MCNS {:.1f} s, the fastest other, {}, {:.1f} s, {:.2f} times as long",
                      seconds_of(*own), other->cell.sampler, seconds_of(*other), factor)};
}

class ColumnClaims {
 public:
  ColumnClaims(const ReproduceResult& result, const std::string& column, const std::string& kind)
      : result_(result), column_(column), kind_(kind) {
    for (const CellResult& cell : result.cells)
      if (cell.cell.column() == column && cell.cell.kind == kind && !cell.runs.empty())
        cells_.push_back(&cell);
  }

  std::vector<Claim> all() {
    std::vector<Claim> out;
    bool timed = false;
    for (const SeriesSpec& spec : result_.spec.series) {
      Claim claim;
      if (spec.claim == "fastest") {
        if (!std::exchange(timed, true)) claim = fastest(cells_);
      } else {
        claim = of_series(spec);
      }
      if (!claim.text.empty()) out.push_back(titled(std::move(claim), spec));
    }
    return out;
  }

 private:
  Series points_of(const SeriesSpec& spec) const {
    Series out{result_, spec, {}};
    for (const CellResult* cell : cells_)
      if (cell->cell.sampler == spec.name && cell->cell.x) out.points.push_back(cell);
    std::ranges::sort(out.points, {}, [](const auto* cell) { return *cell->cell.x; });
    return out;
  }

  Claim of_series(const SeriesSpec& spec) const {
    const Series series = points_of(spec);
    if (spec.claim.empty() || series.points.size() < 3) return {};
    if (spec.claim == "falls") return slope(series, -1);
    if (spec.claim == "rises") return slope(series, 1);
    if (spec.claim == "peaks") return peak(series);
    if (spec.claim == "trend") return trend(series);
    if (spec.claim == "below") {
      const CellResult* level = find_cell(result_, column_, kOwn, kind_);
      return level == nullptr || level->runs.empty() ? Claim{} : below(series, *level);
    }
    constexpr std::string_view kUnder = "under ";
    if (spec.claim.starts_with(kUnder))
      for (const SeriesSpec& other : result_.spec.series)
        if (other.name == spec.claim.substr(kUnder.size())) {
          const Series level = points_of(other);
          return level.points.empty() ? Claim{} : under(series, level);
        }
    return {};
  }

  Claim titled(Claim claim, const SeriesSpec& spec) const {
    const bool several = result_.spec.series.size() > 1 && spec.claim != "fastest";
    claim.experiment = result_.spec.name;
    claim.column = column_;
    claim.kind = kind_;
    claim.text = fmt::format("{}{}, {}: {}{}", column_, several ? ", " + spec.name : "",
                             kind_title(kind_), outcome_text(claim.outcome), claim.text);
    return claim;
  }

  const ReproduceResult& result_;
  std::string column_, kind_;
  std::vector<const CellResult*> cells_;
};

/// That MCNS is first: its verdict.
Claim first_claim(const ColumnVerdict& v) {
  Claim out{v.experiment, v.column, v.kind, Outcome::kOpen, ""};
  if (v.verdict == Verdict::kWon) out.outcome = Outcome::kHolds;
  if (v.verdict == Verdict::kLost) out.outcome = Outcome::kFails;
  out.text =
      fmt::format("{}, {}, {}: {}MCNS {} against {}: {} {}, {}", v.column, v.metric,
                  kind_title(v.kind), outcome_text(out.outcome), verdict_name(v.verdict), v.rival,
                  v.metric, figure_text(v.metric, v.own), figure_text(v.metric, v.other));
  return out;
}

}  // namespace

std::vector<Claim> claims_of(const ReproduceResult& result,
                             const std::vector<ColumnVerdict>& verdicts) {
  std::vector<Claim> out;
  if (!result.spec.figure) {
    if (result.spec.claim == "first")
      for (const ColumnVerdict& verdict : verdicts)
        if (verdict.experiment == result.spec.name) out.push_back(first_claim(verdict));
    return out;
  }
  for (const std::string& column : columns_of(result))
    for (const std::string& kind : kinds_of(result))
      for (Claim& claim : ColumnClaims(result, column, kind).all()) out.push_back(std::move(claim));
  return out;
}

}  // namespace mcns

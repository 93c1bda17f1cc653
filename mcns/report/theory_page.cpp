#include "mcns/report/theory_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mcns/report/html.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

constexpr Tone kTones[] = {Tone::kFirst, Tone::kSecond, Tone::kThird};

std::string first_plot(const Theorem1Case& item) {
  std::vector<double> both = item.scores;  // so that the line of equal values is in sight
  both.insert(both.end(), item.optimum.begin(), item.optimum.end());
  Plot plot(fmt::format("Theorem 1: {}, {} dimensions", item.sampler, item.dim),
            axis_over("-log(k p_n / p_d)", item.optimum), axis_over("u·v", both));
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < item.optimum.size(); ++i)
    points.push_back({item.optimum[i], item.scores[i]});
  plot.points(points, Tone::kFirst, "pairs");
  const auto [low, high] = std::ranges::minmax(item.optimum);
  plot.dashed(std::vector<PlotPoint>{{low, low}, {high, high}}, Tone::kSecond, "equal");
  return plot.svg();
}

std::string second_plot(const Theorem2& second) {
  std::vector<double> ratios = {0.85, 1.15};
  for (const auto& one : second.cases)
    ratios.insert(ratios.end(), one.ratios.begin(), one.ratios.end());
  const PlotAxis x = axis_over("p_d", second.p_d, true);
  Plot plot("Theorem 2: variance, measured over predicted", x, axis_over("ratio", ratios));
  plot.dashed(std::vector<PlotPoint>{{x.low, 1}, {x.high, 1}}, Tone::kMuted);
  for (std::size_t i = 0; i < second.cases.size(); ++i) {
    std::vector<PlotPoint> points;
    for (std::size_t u = 0; u < second.p_d.size(); ++u)
      points.push_back({second.p_d[u], second.cases[i].ratios[u]});
    plot.points(points, kTones[i % std::size(kTones)], second.cases[i].distribution.name);
  }
  return plot.svg();
}

/// Scores of both optima, a point per context.
std::string hinge_plot(const HingeTheory& hinge) {
  std::vector<double> xs, ys = {0};
  for (const auto& one : hinge.cases) {
    xs.insert(xs.end(), one.logistic.begin(), one.logistic.end());
    ys.insert(ys.end(), one.levels.begin(), one.levels.end());
  }
  Plot plot("Hinge loss: its optimum against the logistic one", axis_over("-log(k p_n / p_d)", xs),
            axis_over("hinge optimum, in margins", ys));
  for (std::size_t i = 0; i < hinge.cases.size(); ++i) {
    std::vector<PlotPoint> points;
    for (std::size_t u = 0; u < hinge.p_d.size(); ++u)
      points.push_back({hinge.cases[i].logistic[u], double(hinge.cases[i].levels[u])});
    plot.points(points, kTones[i % std::size(kTones)], hinge.cases[i].distribution.name);
  }
  return plot.svg();
}

std::string second_table(const Theorem2& second) {
  TextRows rows = {{"p_n", "T", "variance, least", "variance, most", "covariance, mean",
                    "farthest pair, standard errors"}};
  for (const auto& one : second.cases)
    rows.push_back({one.distribution.name, fmt::format("{}", one.simulation.samples),
                    fmt::format("{:.3f}", std::ranges::min(one.ratios)),
                    fmt::format("{:.3f}", std::ranges::max(one.ratios)),
                    fmt::format("{:.3f} ± {:.3f}", one.covariance_ratio, one.covariance_error),
                    fmt::format("{:.1f}", one.largest_deviation)});
  return html_table(rows);
}

TextRows hinge_summary(const HingeTheory& hinge) {
  TextRows rows = {{"p_n", "T", "levels", "r with the logistic optimum", "pairs ordered alike",
                    "pairs on one level"}};
  for (const auto& one : hinge.cases)
    rows.push_back({one.distribution.name, fmt::format("{}", one.samples),
                    fmt::format("{}", one.distinct), fmt::format("{:.3f}", one.r),
                    fmt::format("{:.3f}", one.ordered), fmt::format("{:.3f}", one.tied)});
  return rows;
}

std::string hinge_table(const HingeTheory& hinge) {
  TextRows rows = {{"p_n", "p_d", "p_n of the context", "logistic optimum", "its deviation",
                    "hinge optimum, margins", "its deviation, margins"}};
  for (const auto& one : hinge.cases)
    for (std::size_t u = 0; u < hinge.p_d.size(); ++u)
      rows.push_back({one.distribution.name, fmt::format("{:.4f}", hinge.p_d[u]),
                      fmt::format("{:.4f}", one.distribution.probabilities[u]),
                      fmt::format("{:.3f}", one.logistic[u]),
                      fmt::format("{:.3f}", one.logistic_spread[u]),
                      fmt::format("{}", one.levels[u]), fmt::format("{:.3f}", one.spread[u])});
  return html_table(rows);
}

/// p_n against p_d of single targets, by band.
std::string distribution_plot(const Departure& d) {
  std::vector<double> p_d, p_n;
  std::vector<PlotPoint> points, line;
  for (const auto& band : d.bands) {
    if (band.p_d == 0 || band.p_n == 0) continue;
    const double x = band.mean_p_d(), fitted = std::exp(d.log_factor + d.alpha * std::log(x));
    points.push_back({x, band.mean_p_n()});
    line.push_back({x, fitted});
    p_d.push_back(x);
    p_n.insert(p_n.end(), {band.mean_p_n(), fitted});
  }
  Plot plot("Negatives against positives", axis_over("p_d of a target", p_d, true),
            axis_over("p_n of a target", p_n, true));
  if (std::isfinite(d.alpha))
    plot.dashed(line, Tone::kSecond, fmt::format("p_d to the {:.2f}", d.alpha));
  plot.points(points, Tone::kFirst, "bands of degree");
  return plot.svg();
}

std::string risk_plot(const Departure& d) {
  std::vector<double> degrees, risks = {0};
  std::vector<PlotPoint> positives, negatives;
  for (const auto& band : d.bands) {
    if (band.low == 0) continue;
    const double degree = std::sqrt(static_cast<double>(band.low) * static_cast<double>(band.high));
    degrees.push_back(degree);
    if (band.positives > 0) positives.push_back({degree, band.positive_risk});
    if (band.negatives > 0) negatives.push_back({degree, band.negative_risk});
    risks.insert(risks.end(), {band.positive_risk, band.negative_risk});
  }
  Plot plot("Risk by degree", axis_over("degree of the target", degrees, true),
            axis_over("mean logistic loss", risks));
  plot.line(positives, Tone::kFirst, "positives");
  plot.line(negatives, Tone::kSecond, "negatives");
  plot.points(positives, Tone::kFirst);
  plot.points(negatives, Tone::kSecond);
  return plot.svg();
}

}  // namespace

std::string theorems_page(const std::vector<Theorem1Case>& first, const Theorem2& second,
                          const HingeTheory& hinge) {
  std::vector<std::string> plots;
  for (const auto& item : first) plots.push_back(first_plot(item));
  plots.push_back(second_plot(second));
  plots.push_back(hinge_plot(hinge));
  TextRows rows = {{"p_n", "dimensions", "slope", "r", ""}};
  for (const auto& item : first)
    rows.push_back({item.sampler, fmt::format("{}", item.dim), fmt::format("{:.4f}", item.slope),
                    fmt::format("{:.4f}", item.r), item.holds ? "holds" : "does not hold"});
  return html_page(
      "Theorems 1 and 2, measured",
      "Scores of a trained model against the optimum -log(k p_n / p_d), and the covariance of "
      "estimates against 1/T (diag(1/p_d + 1/(k p_n)) - (1 + 1/k)). Both are about the logistic "
      "loss; the hinge loss that the method uses stands beside it.",
      html_figures(plots) +
          "<h2>Theorem 1</h2>\n<p>The last line must not hold: so few dimensions cannot "
          "hold the scores.</p>\n" +
          html_table(rows) +
          "<h2>Theorem 2</h2>\n<p>Measured over predicted. The covariance is the same for any two "
          "contexts, -(1 + 1/k) / T.</p>\n" +
          second_table(second) +
          "<h2>The hinge loss</h2>\n<p>Neither theorem holds for max(0, margin + θ_x - θ_u). On "
          "free "
          "scores its optimum is a few levels a margin apart: it follows the order of p_d / p_n, "
          "with "
          "ties, and not its logarithm. Estimates from samples differ by whole margins, and how "
          "much has nothing to do with 1/p_d + 1/(k p_n).</p>\n" +
          html_table(hinge_summary(hinge)) + html_details("By context", hinge_table(hinge)));
}

std::string departure_page(const Departure& d) {
  TextRows rows = {
      {"degree", "targets", "p_d", "p_n", "p_n / fit", "risk of positives", "risk of negatives"}};
  for (const auto& band : d.bands)
    rows.push_back({band.low == band.high ? fmt::format("{}", band.low)
                                          : fmt::format("{}–{}", band.low, band.high),
                    fmt::format("{}", band.targets), fmt::format("{:.4f}", band.p_d),
                    fmt::format("{:.4f}", band.p_n),
                    band.ratio > 0 ? fmt::format("{:.2f}", band.ratio) : "",
                    band.positives > 0 ? fmt::format("{:.3f}", band.positive_risk) : "",
                    band.negatives > 0 ? fmt::format("{:.3f}", band.negative_risk) : ""});
  return html_page(
      "Negatives against p_d^alpha",
      fmt::format(
          "Sampler {}: {} negatives of {} sources, drawn against the model's vectors. Over bands "
          "of degree p_n goes like p_d to the {:.2f}.",
          d.sampler, d.negatives, d.sources, d.alpha),
      html_figures({distribution_plot(d), risk_plot(d)}) +
          "<h2>By degree of the target</h2>\n<p>Shares of all positives and of all negatives, and "
          "how p_n departs from the fit.</p>\n" +
          html_table(rows));
}

}  // namespace mcns

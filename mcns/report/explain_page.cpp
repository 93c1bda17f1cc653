#include "mcns/report/explain_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "mcns/report/html.h"
#include "mcns/report/svg.h"

namespace mcns {
namespace {

std::string histogram(const Explanation& e) {
  const double flat = 1.0 / static_cast<double>(e.histogram.size());
  const double high = std::max(2 * flat, 1.08 * std::ranges::max(e.histogram));
  Plot plot("How hard the negatives were", {"score quantile among allowed targets"},
            {"share of draws", 0, high});
  plot.bars(e.histogram, Tone::kFirst, "drawn");
  plot.dashed(std::vector<PlotPoint>{{0, flat}, {1, flat}}, Tone::kSecond, "uniform draws");
  return plot.svg();
}

std::string over_epochs(const Explanation& e, bool frozen) {
  std::vector<PlotPoint> hardness, popularity;
  for (const auto& band : e.bands) {
    const double middle = 0.5 * static_cast<double>(band.first_epoch + band.last_epoch);
    hardness.push_back({middle, band.hardness});
    popularity.push_back({middle, band.popularity});
  }
  const auto first = static_cast<double>(e.all.first_epoch);
  const auto last = std::max(first + 1, static_cast<double>(e.all.last_epoch));
  Plot plot(frozen ? "Hardness over rounds" : "Hardness over training",
            {frozen ? "round" : "epoch", first, last}, {"mean quantile"});
  plot.dashed(std::vector<PlotPoint>{{first, 0.5}, {last, 0.5}}, Tone::kMuted, "uniform draws");
  plot.line(popularity, Tone::kSecond, "popularity");
  plot.line(hardness, Tone::kFirst, "hardness");
  plot.points(popularity, Tone::kSecond);
  plot.points(hardness, Tone::kFirst);
  return plot.svg();
}

std::string scatter(const Explanation& e) {
  Plot plot("Popular, hard, or both", {"popularity: degree quantile"}, {"score quantile"});
  std::vector<PlotPoint> points;
  for (const auto& [popularity, quantile] : e.points) points.push_back({popularity, quantile});
  plot.points(points, Tone::kFirst, fmt::format("{} of {} draws", points.size(), e.all.draws));
  return plot.svg();
}

std::string share(double value) { return fmt::format("{:.1f} %", 100 * value); }

std::string band_table(const Explanation& e, bool frozen) {
  TextRows rows = {{frozen ? "rounds" : "epochs", "draws", "distinct", "hardness", "above 90 %",
                    "above 99 %", "popularity"}};
  if (e.held_out) rows[0].emplace_back("held-out positives");
  if (e.all.chain) rows[0].insert(rows[0].end(), {"moved", "autocorrelation", "effective draws"});
  for (const auto& band : e.bands) {
    rows.push_back({fmt::format("{}–{}", band.first_epoch, band.last_epoch),
                    fmt::format("{}", band.draws), fmt::format("{}", band.distinct),
                    fmt::format("{:.3f}", band.hardness), share(band.above_90),
                    share(band.above_99), fmt::format("{:.3f}", band.popularity)});
    if (e.held_out) rows.back().push_back(fmt::format("{:.2f} %", 100 * band.held_out));
    if (!band.chain) continue;
    rows.back().push_back(share(band.chain->moved));
    rows.back().push_back(fmt::format("{:.3f}", band.chain->autocorrelation));
    rows.back().push_back(fmt::format("{:.0f}", band.chain->effective));
  }
  rows.push_back({"uniform draws", "", "", "0.500", "10.0 %", "1.0 %", "0.500"});
  if (e.held_out) rows.back().push_back(fmt::format("{:.2f} %", 100 * e.held_out_uniform));
  rows.back().resize(rows[0].size());
  return html_table(rows);
}

std::string top_table(const Explanation& e, const Names& names) {
  TextRows rows = {{"negative", "draws", "score", "rank", "degree", ""}};
  std::vector<std::size_t> marked;
  for (const auto& top : e.top) {
    if (top.held_out) marked.push_back(rows.size());
    rows.push_back({names.name(top.node), fmt::format("{}", top.draws),
                    fmt::format("{:.4f}", top.score), fmt::format("{:.0f}", top.rank),
                    fmt::format("{}", top.degree), top.held_out ? "held-out positive" : ""});
  }
  return html_table(rows, marked);
}

}  // namespace

std::string explain_page(const Explanation& e, const Names& names, bool frozen) {
  const std::string lead = fmt::format(
      "Degree {}, sampler {}. {} negatives, {} different ones, of {} allowed targets{}{}.",
      e.degree, e.sampler, e.all.draws, e.all.distinct, e.allowed,
      frozen ? ", drawn against the vectors of a trained model" : ", drawn in training",
      e.held_out ? fmt::format("; {} of them are held-out positives", *e.held_out) : "");
  return html_page(
      fmt::format("Negatives of {}", names.name(e.source)), lead,
      html_figures({histogram(e), over_epochs(e, frozen), scatter(e)}) +
          fmt::format(
              "<h2>By {}</h2>\n<p>Hardness is the mean quantile of a negative's score among "
              "all allowed targets when it was drawn; popularity is that of its degree.{}{}"
              "</p>\n",
              frozen ? "round" : "epoch",
              e.weighted ? " Draws count by their weight in the loss." : "",
              e.held_out ? " Held-out positives are the valid and test pairs of the node: "
                           "false negatives that training cannot know."
                         : "") +
          band_table(e, frozen) +
          "<h2>Most drawn</h2>\n<p>Score and rank are those of the last draw.</p>\n" +
          top_table(e, names));
}

}  // namespace mcns

#include "mcns/report/bars.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace mcns {
namespace {

constexpr double kWidth = 480, kLeft = 120, kRight = 70, kTop = 58, kBottom = 44, kLine = 26;

double sum(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

std::string legend(const BarChart& chart) {
  std::string out;
  double x = kLeft;
  const auto add = [&](const std::string& mark, const std::string& label) {
    out += fmt::format(
        R"x(<g transform="translate({:.0f} 44)">{}<text class="tick" x="19">{}</text></g>)x"
        "\n",
        x, mark, escaped(label));
    x += 38 + 6.4 * static_cast<double>(label.size());
  };
  for (std::size_t i = 0; i < chart.parts.size(); ++i)
    add(fmt::format(R"(<path class="bar {}" d="M0 -4h14"/>)", tone_class(tone_of(i))),
        chart.parts[i]);
  if (!chart.mark.empty()) add(R"(<path class="paper" d="M7 -10l5 6l-5 6l-5 -6z"/>)", chart.mark);
  return out;
}

}  // namespace

std::string bar_chart(const BarChart& chart) {
  double high = 0;
  for (const Bar& bar : chart.bars)
    high = std::max({high, sum(bar) + bar.deviation, bar.mark.value_or(0)});
  if (high <= 0) high = 1;
  const double height = kTop + kBottom + kLine * static_cast<double>(chart.bars.size());
  const double foot = height - kBottom;
  const auto place = [&](double value) {
    return kLeft + std::max(0.0, value) / (1.02 * high) * (kWidth - kLeft - kRight);
  };
  std::string out = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="{}">)"
                                "\n"
                                R"(<text class="title" x="16" y="22">{}</text>)"
                                "\n",
                                kWidth, height, escaped(chart.title), escaped(chart.title));
  for (const double v : axis_ticks({chart.x_label, 0, 1.02 * high}))
    out +=
        fmt::format(R"(<path class="grid" d="M{0:.1f} {1}V{2}"/>)"
                    R"(<text class="tick" text-anchor="middle" x="{0:.1f}" y="{3}">{4:.4g}</text>)"
                    "\n",
                    place(v), kTop, foot, foot + 16, v);
  double y = kTop;
  for (const Bar& bar : chart.bars) {
    const double middle = y + kLine / 2;
    out += fmt::format(R"(<text text-anchor="end" x="{}" y="{:.1f}">{}</text>)", kLeft - 8,
                       middle + 4, escaped(bar.label.substr(0, 18)));
    double from = 0;
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
      const double to = from + bar.parts[i];
      out += fmt::format(
          R"(<rect class="fill {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}"><title>{}: {}</title></rect>)",
          tone_class(tone_of(i)), place(from), y + 5, std::max(0.0, place(to) - place(from)),
          kLine - 10, escaped(bar.label), escaped(bar.text));
      from = to;
    }
    if (bar.deviation > 0)
      out += fmt::format(
          R"(<path class="whisker" d="M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v8M{1:.1f} {3:.1f}v8"/>)",
          place(from - bar.deviation), place(from + bar.deviation), middle, middle - 4);
    if (bar.mark)
      out += fmt::format(R"(<path class="paper" d="M{:.1f} {:.1f}l5 6l-5 6l-5 -6z"/>)",
                         place(*bar.mark), middle - 6);
    out += fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}">{}</text>)"
                       "\n",
                       place(std::max(from + bar.deviation, bar.mark.value_or(0))) + 8, middle + 4,
                       escaped(bar.text));
    y += kLine;
  }
  out += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)"
                     R"(<text class="label" text-anchor="middle" x="{4}" y="{5}">{6}</text>)",
                     kLeft, kTop, foot, kWidth - kRight, (kLeft + kWidth - kRight) / 2, height - 8,
                     escaped(chart.x_label));
  return out + legend(chart) + "</svg>\n";
}

}  // namespace mcns

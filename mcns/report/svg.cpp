#include "mcns/report/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mcns {
namespace {

constexpr double kWidth = 480, kHeight = 330;
constexpr double kLeft = 64, kRight = 16, kTop = 58, kBottom = 50;

constexpr double kLegendLine = 18;

const char* class_of(Tone tone) { return tone_class(tone); }

/// Width of a mark and its text in the legend, about.
double legend_width(const std::string& label) {
  return 38 + 6.4 * static_cast<double>(label.size());
}

/// 0 at the low end, 1 at the high one.
double part(const PlotAxis& axis, double value) {
  if (!axis.log) return (value - axis.low) / (axis.high - axis.low);
  return std::log(value / axis.low) / std::log(axis.high / axis.low);
}

bool inside(const PlotAxis& axis, double value) {
  const double slack = axis.log ? 0 : 1e-9 * (axis.high - axis.low);
  return std::isfinite(value) && value >= axis.low - slack && value <= axis.high + slack;
}

std::string tick_text(double value) {
  if (value != 0 && std::abs(value) < 1e-4) return fmt::format("{:.0e}", value);
  return fmt::format("{:.6g}", value);
}

}  // namespace

const char* tone_class(Tone tone) {
  constexpr const char* kClasses[] = {"first", "second", "third",   "muted",  "fourth",
                                      "fifth", "sixth",  "seventh", "eighth", "ninth"};
  return kClasses[static_cast<int>(tone)];
}

Tone tone_of(std::size_t index) {
  constexpr Tone kTones[] = {Tone::kFirst,   Tone::kSecond, Tone::kThird,
                             Tone::kFourth,  Tone::kFifth,  Tone::kSixth,
                             Tone::kSeventh, Tone::kEighth, Tone::kNinth};
  return kTones[index % std::size(kTones)];
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

PlotAxis axis_over(std::string label, std::span<const double> values, bool log) {
  PlotAxis out{std::move(label), 0, 1, log};
  std::vector<double> used;
  for (const double v : values)
    if (std::isfinite(v) && (!log || v > 0)) used.push_back(v);
  if (used.empty()) return log ? PlotAxis{out.label, 0.1, 1, true} : out;
  const auto [low, high] = std::ranges::minmax(used);
  if (log) {
    const double room = std::max(1.1, std::pow(high / low, 0.04));
    out.low = low / room;
    out.high = high * room;
  } else {
    const double room = high > low ? 0.05 * (high - low) : std::max(0.5, 0.1 * std::abs(high));
    out.low = low - room;
    out.high = high + room;
  }
  return out;
}

std::vector<double> axis_ticks(const PlotAxis& axis) {
  std::vector<double> out;
  if (axis.log) {
    const int low = static_cast<int>(std::floor(std::log10(axis.low)));
    const int high = static_cast<int>(std::ceil(std::log10(axis.high)));
    const bool wide = std::log10(axis.high / axis.low) > 2.5;
    const int every = std::max(1, (high - low) / 6);
    for (int power = low; power <= high; power += wide ? every : 1)
      for (const double digit : {1.0, 2.0, 5.0}) {
        if (wide && digit != 1) continue;
        const double value = digit * std::pow(10, power);
        if (inside(axis, value)) out.push_back(value);
      }
    return out;
  }
  constexpr int kAbout = 6;
  const double raw = (axis.high - axis.low) / kAbout;
  const double ten = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * ten;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * ten >= raw) step = digit * ten;
  for (double i = std::ceil(axis.low / step - 1e-9); i * step <= axis.high + 1e-9 * step; ++i)
    out.push_back(i == 0 ? 0 : i * step);
  return out;
}

Plot::Plot(std::string title, PlotAxis x, PlotAxis y)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

double Plot::place_x(double value) const {
  return kLeft + part(x_, value) * (kWidth - kLeft - kRight);
}

double Plot::place_y(double value) const {
  return kHeight - kBottom - part(y_, value) * (kHeight - kTop - kBottom);
}

void Plot::name(Tone tone, const char* shape, const std::string& label) {
  if (label.empty()) return;
  names_.push_back(
      {fmt::format(R"(<path class="{} {}" d="M0 -4h14")", shape, class_of(tone)) + "/>", label});
}

void Plot::bars(std::span<const double> heights, Tone tone, const std::string& label) {
  const double width = (kWidth - kLeft - kRight) / static_cast<double>(heights.size());
  const double foot = kHeight - kBottom;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const double top = place_y(std::clamp(heights[i], y_.low, y_.high));
    body_ += fmt::format(
        R"(<rect class="fill {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)"
        "\n",
        class_of(tone), kLeft + width * static_cast<double>(i) + 0.5, top, std::max(0.5, width - 1),
        foot - top);
  }
  name(tone, "bar", label);
}

void Plot::path(std::span<const PlotPoint> points, Tone tone, const char* style) {
  std::string d;
  for (const auto& [x, y] : points) {
    if (!inside(x_, x) || !inside(y_, y)) continue;
    d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", place_x(x), place_y(y));
  }
  body_ += fmt::format(R"(<path class="{} {}" d="{}")", style, class_of(tone), d) + "/>\n";
}

void Plot::line(std::span<const PlotPoint> points, Tone tone, const std::string& label) {
  path(points, tone, "line");
  name(tone, "line", label);
}

void Plot::dashed(std::span<const PlotPoint> points, Tone tone, const std::string& label) {
  path(points, tone, "line dashed");
  name(tone, "line dashed", label);
}

void Plot::points(std::span<const PlotPoint> points, Tone tone, const std::string& label) {
  // Many points are small and let each other through.
  const bool many = points.size() > 200;
  for (const auto& [x, y] : points) {
    if (!inside(x_, x) || !inside(y_, y)) continue;
    body_ +=
        fmt::format(R"(<circle class="fill {}{}" cx="{:.1f}" cy="{:.1f}" r="{}")", class_of(tone),
                    many ? " faint" : "", place_x(x), place_y(y), many ? 2 : 3.5) +
        "/>\n";
  }
  if (!label.empty())
    names_.push_back(
        {fmt::format(R"(<circle class="fill {}" cx="7" cy="-4" r="3.5")", class_of(tone)) + "/>",
         label});
}

std::string Plot::axes() const {
  const double right = kWidth - kRight, foot = kHeight - kBottom;
  std::string out;
  for (const double v : axis_ticks(y_))
    out += fmt::format(R"(<path class="grid" d="M{0} {1:.1f}H{2}"/>)"
                       R"(<text class="tick" text-anchor="end" x="{3}" y="{4:.1f}">{5}</text>)"
                       "\n",
                       kLeft, place_y(v), right, kLeft - 7, place_y(v) + 4, tick_text(v));
  for (const double v : axis_ticks(x_))
    out += fmt::format(R"(<path class="axis" d="M{0:.1f} {1}v5"/>)"
                       R"(<text class="tick" text-anchor="middle" x="{0:.1f}" y="{2}">{3}</text>)"
                       "\n",
                       place_x(v), foot, foot + 18, tick_text(v));
  out +=
      fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)"
                  R"(<text class="label" text-anchor="middle" x="{4}" y="{5}">{6}</text>)",
                  kLeft, kTop, foot, right, (kLeft + right) / 2, kHeight - 10, escaped(x_.label));
  return out + fmt::format(R"(<text class="label" text-anchor="middle" )"
                           R"x(transform="translate(15 {}) rotate(-90)">{}</text>)x"
                           "\n",
                           (kTop + foot) / 2, escaped(y_.label));
}

double Plot::legend_room() const {
  double x = kLeft, room = 0;
  for (const Name& name : names_) {
    if (x > kLeft && x + legend_width(name.label) > kWidth) {
      room += kLegendLine;
      x = kLeft;
    }
    x += legend_width(name.label);
  }
  return room;
}

std::string Plot::legend() const {
  std::string out;
  double x = kLeft, y = 44 - legend_room();
  for (const auto& [mark, label] : names_) {
    if (x > kLeft && x + legend_width(label) > kWidth) {
      y += kLegendLine;
      x = kLeft;
    }
    out += fmt::format(R"x(<g transform="translate({:.0f} {:.0f})">{})x", x, y, mark) +
           fmt::format("<text class=\"tick\" x=\"19\">{}</text></g>\n", escaped(label));
    x += legend_width(label);
  }
  return out;
}

std::string Plot::svg() const {
  const double room = legend_room();
  return fmt::format(R"(<svg viewBox="0 {:.0f} {} {:.0f}" role="img" aria-label="{}">)"
                     "\n"
                     R"(<text class="title" x="{}" y="{:.0f}">{}</text>)"
                     "\n",
                     -room, kWidth, kHeight + room, escaped(title_), kLeft, 22 - room,
                     escaped(title_)) +
         axes() + body_ + legend() + "</svg>\n";
}

}  // namespace mcns

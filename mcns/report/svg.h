// Small plots as SVG text: axes with ticks, bars, lines and points. Colours are classes that the
// page's style sheet fills in (html.h), so that a plot follows light and dark.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mcns {

struct PlotPoint {
  double x, y;
};

struct PlotAxis {
  std::string label;
  double low = 0, high = 1;
  bool log = false;
};

/// An axis that holds all values with a small margin; only positive ones where it is logarithmic.
PlotAxis axis_over(std::string label, std::span<const double> values, bool log = false);

/// Where marks stand: 1, 2 or 5 times a power of ten, within the axis.
std::vector<double> axis_ticks(const PlotAxis& axis);

/// The colour of a series.
enum class Tone {
  kFirst,
  kSecond,
  kThird,
  kMuted,
  kFourth,
  kFifth,
  kSixth,
  kSeventh,
  kEighth,
  kNinth
};
/// The colour of series `index` where there are many; they repeat after nine.
Tone tone_of(std::size_t index);
const char* tone_class(Tone tone);

class Plot {
 public:
  Plot(std::string title, PlotAxis x, PlotAxis y);

  /// A bar per height, over equal parts of the x axis, from the lower end of y.
  void bars(std::span<const double> heights, Tone tone, const std::string& label = "");
  void line(std::span<const PlotPoint> points, Tone tone, const std::string& label = "");
  void dashed(std::span<const PlotPoint> points, Tone tone, const std::string& label = "");
  void points(std::span<const PlotPoint> points, Tone tone, const std::string& label = "");

  /// A whole <svg> element. Series with a label are named in a legend.
  std::string svg() const;

 private:
  double place_x(double value) const;
  double place_y(double value) const;
  void path(std::span<const PlotPoint> points, Tone tone, const char* style);
  void name(Tone tone, const char* shape, const std::string& label);
  std::string axes() const;
  std::string legend() const;
  double legend_room() const;  ///< below the first line

  struct Name {
    std::string mark, label;
  };
  std::string title_, body_;
  PlotAxis x_, y_;
  std::vector<Name> names_;
};

/// Text for HTML and SVG.
std::string escaped(std::string_view text);

}  // namespace mcns

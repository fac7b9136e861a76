// Charts as SVG: bars, and lines over linear or logarithmic axes. Drawn 360 units wide, so that their text can be read on a
// phone; colours are CSS variables, which chart_style() defines for light and dark.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace phalanx::bench {

/// For HTML and SVG alike: & < > " written as entities.
[[nodiscard]] std::string escape_markup(const std::string& text);

/// Style rules for the charts, to be put into a <style> element; the page's own rules build on its variables.
[[nodiscard]] std::string chart_style();

struct Bar {
  std::string label;
  double value = 0;
  std::string value_text;
  bool emphasised = false;  ///< ours
};

/// Bars on a scale of their own: the longest fills it.
struct BarGroup {
  std::string title;
  std::vector<Bar> bars;
  double full_value = 0;  ///< what fills the scale; 0: the largest value
};

[[nodiscard]] std::string draw_bars(const std::string& title, const std::vector<BarGroup>& groups);

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< x ascending; positive where the axis is logarithmic
  bool faint = false;                             ///< dashed and grey: what the others are compared with
};

struct Tick {
  double place;
  std::string label;
};

struct Axis {
  std::string title;
  bool logarithmic = false;
  std::vector<Tick> ticks;  ///< ascending; the axis spans them
};

[[nodiscard]] std::string draw_lines(const std::string& title, const Axis& x, const Axis& y,
                                     const std::vector<ChartLine>& lines);

}  // namespace phalanx::bench

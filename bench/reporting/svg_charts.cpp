#include "bench/reporting/svg_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace phalanx::bench {
namespace {

constexpr double chart_width = 360;
constexpr int num_colours = 6;

std::string open_svg(const std::string& title, double height) {
  return fmt::format(
      R"(<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {:.0f}" role="img" aria-label="{}">)",
      chart_width, height, escape_markup(title));
}

std::string text_at(double x, double y, const char* classes, const std::string& text) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>)", x, y, classes, escape_markup(text));
}

std::string line_between(double x1, double y1, double x2, double y2, const char* classes) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1, y1, x2, y2, classes);
}

// Where values of an axis lie on the chart.
class Scale {
 public:
  Scale(const Axis& axis, double from, double to)
      : logarithmic_(axis.logarithmic),
        first_(position(axis.ticks.front().place)),
        last_(position(axis.ticks.back().place)),
        from_(from),
        to_(to) {}
  [[nodiscard]] double operator()(double value) const {
    const double span = last_ > first_ ? last_ - first_ : 1;
    return from_ + (position(value) - first_) / span * (to_ - from_);
  }

 private:
  [[nodiscard]] double position(double value) const { return logarithmic_ ? std::log(value) : value; }

  bool logarithmic_;
  double first_, last_, from_, to_;
};

constexpr double plot_left = 44;
constexpr double plot_right = 350;
constexpr double plot_top = 18;
constexpr double plot_bottom = 212;
constexpr double legend_step = 16;

std::string draw_axes(const Axis& x, const Axis& y, const Scale& x_at, const Scale& y_at) {
  std::string svg = text_at(4, 10, "quiet", y.title) + text_at(plot_right, plot_bottom + 28, "quiet end", x.title);
  for (const Tick& tick : y.ticks) {
    svg += line_between(plot_left, y_at(tick.place), plot_right, y_at(tick.place), "grid");
    svg += text_at(plot_left - 5, y_at(tick.place) + 3.5, "quiet end", tick.label);
  }
  for (const Tick& tick : x.ticks) {
    svg += line_between(x_at(tick.place), plot_bottom, x_at(tick.place), plot_bottom + 4, "grid");
    const bool at_edge = x_at(tick.place) > plot_right - 10;
    svg += text_at(at_edge ? chart_width - 2 : x_at(tick.place), plot_bottom + 15, at_edge ? "quiet end" : "quiet middle",
                   tick.label);
  }
  return svg;
}

std::string draw_line(const ChartLine& line, int colour, const Scale& x_at, const Scale& y_at) {
  std::string points;
  for (const auto& [x, y] : line.points) points += fmt::format("{:.1f},{:.1f} ", x_at(x), y_at(y));
  const std::string classes = line.faint ? "line faint" : fmt::format("line colour{}", colour);
  std::string svg = fmt::format(R"(<polyline points="{}" class="{}"/>)", points, classes);
  if (line.faint) return svg;
  for (const auto& [x, y] : line.points) {
    svg += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.2" class="dot{}"><title>{}: {:.4g}</title></circle>)",
                       x_at(x), y_at(y), colour, escape_markup(line.name), y);
  }
  return svg;
}

}  // namespace

std::string escape_markup(const std::string& text) {
  std::string safe;
  for (const char character : text) {
    switch (character) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += character;
    }
  }
  return safe;
}

std::string chart_style() {
  return R"(
:root { --paper: #fcfcfb; --ink: #1c1e21; --quiet: #5d646d; --grid: #dfe2e6; --ours: #1f5fc4; --other: #aab2bc;
  --c0: #1f5fc4; --c1: #c2570c; --c2: #2b8a3e; --c3: #8a3fa8; --c4: #b02a5b; --c5: #0b7f8c; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e8eaed; --quiet: #a0a8b2; --grid: #343a42;
  --ours: #74a9ff; --other: #5b6470; --c0: #74a9ff; --c1: #ffa25c; --c2: #6fd08c; --c3: #d09bf0; --c4: #ff8fb4; --c5: #5fd3df; } }
.chart { display: block; width: 100%; height: auto; font-family: system-ui, sans-serif; font-size: 11px; }
.chart text { fill: var(--ink); } .chart .quiet { fill: var(--quiet); font-size: 10px; }
.chart .end { text-anchor: end; } .chart .middle { text-anchor: middle; } .chart .strong { font-weight: 600; }
.chart .grid { stroke: var(--grid); stroke-width: 1; } .chart .ours { fill: var(--ours); } .chart .other { fill: var(--other); } .chart .track { fill: var(--grid); }
.chart .line { fill: none; stroke-width: 2; stroke-linejoin: round; } .chart .faint { stroke: var(--quiet); stroke-dasharray: 4 4; stroke-width: 1; }
.chart .colour0 { stroke: var(--c0); } .chart .colour1 { stroke: var(--c1); } .chart .colour2 { stroke: var(--c2); }
.chart .colour3 { stroke: var(--c3); } .chart .colour4 { stroke: var(--c4); } .chart .colour5 { stroke: var(--c5); }
.chart .dot0 { fill: var(--c0); } .chart .dot1 { fill: var(--c1); } .chart .dot2 { fill: var(--c2); }
.chart .dot3 { fill: var(--c3); } .chart .dot4 { fill: var(--c4); } .chart .dot5 { fill: var(--c5); }
)";
}

std::string draw_bars(const std::string& title, const std::vector<BarGroup>& groups) {
  constexpr double bar_step = 16;
  constexpr double label_end = 126;
  constexpr double bar_start = 132;
  constexpr double bar_end = 282;
  double y = 4;
  std::string svg;
  for (const BarGroup& group : groups) {
    double full = group.full_value;
    for (const Bar& bar : group.bars) full = std::max(full, bar.value);
    if (!group.title.empty()) svg += text_at(2, y += 14, "strong", group.title);
    y += 6;
    for (const Bar& bar : group.bars) {
      const double length = std::max(1.0, (bar_end - bar_start) * bar.value / full);
      if (group.full_value > 0) {  // how far it could go
        svg += fmt::format(R"(<rect x="{}" y="{:.1f}" width="{:.1f}" height="11" rx="2" class="track"/>)", bar_start, y,
                           (bar_end - bar_start) * group.full_value / full);
      }
      svg += text_at(label_end, y + 9, bar.emphasised ? "strong end" : "quiet end", bar.label);
      svg += fmt::format(R"(<rect x="{}" y="{:.1f}" width="{:.1f}" height="11" rx="2" class="{}"/>)", bar_start, y, length,
                         bar.emphasised ? "ours" : "other");
      svg += text_at((group.full_value > 0 ? bar_end : bar_start + length) + 5, y + 9, bar.emphasised ? "strong" : "quiet",
                     bar.value_text);
      y += bar_step;
    }
    y += 6;
  }
  return open_svg(title, y) + svg + "</svg>";
}

std::string draw_lines(const std::string& title, const Axis& x, const Axis& y, const std::vector<ChartLine>& lines) {
  const Scale x_at(x, plot_left, plot_right);
  const Scale y_at(y, plot_bottom, plot_top);
  std::string svg = draw_axes(x, y, x_at, y_at);
  double legend_y = plot_bottom + 46;
  int colour = 0;
  for (const ChartLine& line : lines) {
    svg += draw_line(line, colour, x_at, y_at);
    svg += line_between(plot_left, legend_y - 4, plot_left + 18, legend_y - 4,
                        line.faint ? "line faint" : fmt::format("line colour{}", colour).c_str());
    svg += text_at(plot_left + 24, legend_y, line.faint ? "quiet" : "", line.name);
    if (!line.faint) colour = (colour + 1) % num_colours;
    legend_y += legend_step;
  }
  return open_svg(title, legend_y - 6) + svg + "</svg>";
}

}  // namespace phalanx::bench

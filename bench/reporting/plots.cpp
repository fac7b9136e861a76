#include "bench/reporting/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bench/reporting/result_table.hpp"
#include "bench/reporting/svg_charts.hpp"
#include "program/cli/console/size_text.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t usual_message_bytes = 65536;

std::string rate_text(double megabytes_per_second) {
  return megabytes_per_second < 1000 ? fmt::format("{:.3g} MB/s", megabytes_per_second)
                                     : fmt::format("{:.3g} GB/s", megabytes_per_second / 1000);
}

bool has_peers(const Measurement& m) {
  return std::any_of(m.figures.begin(), m.figures.end(), [](const Figure& f) { return f.kind == Kind::peer; });
}

// The fastest of our engines with one thread; nullptr if there is none.
const Figure* best_engine(const Measurement& m) {
  const Figure* best = nullptr;
  for (const Figure& f : m.figures) {
    const bool ours = f.kind == Kind::engine && f.num_threads == 1;
    if (ours && (best == nullptr || ratio(f, *best) > 1)) best = &f;
  }
  return best;
}

// What makes a bar of its own for a cipher.
std::string kind_of_job(const Measurement& m) {
  if (m.num_messages > 1) return "batch";
  if (m.mode == "gcm") return "gcm";
  return m.mode == "cbc" && m.direction == "encrypt" ? "serial" : "";
}

// For a chart that can be taken in at a glance: of each cipher one mode, besides GCM, batches, and one message in CBC encryption,
// where no block can begin before the one before it.
std::vector<const Measurement*> choose_for_bars(const Results& results) {
  std::map<std::string, const Measurement*> chosen;
  std::vector<std::string> order;
  for (const Measurement& m : results.measurements) {
    if (!has_peers(m) || best_engine(m) == nullptr || (m.num_messages == 1 && m.message_bytes != usual_message_bytes))
      continue;
    const std::string key = m.cipher + kind_of_job(m);
    const auto [place, is_new] = chosen.try_emplace(key, &m);
    if (is_new) order.push_back(key);
    const bool faster = ratio(*best_engine(m), *best_engine(*place->second)) > 1;
    if (m.mode == "ctr" && (place->second->mode != "ctr" || faster)) place->second = &m;
  }
  std::vector<const Measurement*> list;
  for (const std::string& key : order) list.push_back(chosen[key]);
  return list;
}

void add_peer_bars(const Results& results, std::vector<Plot>& plots) {
  std::vector<BarGroup> groups;
  for (const Measurement* m : choose_for_bars(results)) {
    std::vector<const Figure*> figures = {best_engine(*m)};
    for (const Figure& f : m->figures) {
      if (f.kind == Kind::peer) figures.push_back(&f);
    }
    std::sort(figures.begin() + 1, figures.end(), [](const Figure* a, const Figure* b) { return ratio(*a, *b) > 1; });
    BarGroup group{.title = describe_job(*m), .bars = {}};
    for (const Figure* f : figures) {
      const bool ours = f->kind == Kind::engine;
      group.bars.push_back({.label = describe_contender(*f, *m),
                            .value = f->megabytes_per_second,
                            .value_text = rate_text(f->megabytes_per_second),
                            .emphasised = ours});
    }
    groups.push_back(std::move(group));
  }
  if (groups.empty()) return;
  plots.push_back(
      {.name = "against_libraries",
       .title = "Beside other libraries",
       .caption = "One core. Each group of bars has a scale of its own; the samples of a group were taken in turn.",
       .svg = draw_bars("Rates beside other libraries", groups)});
}

std::vector<Tick> powers(double low, double high, double base, std::string (*label)(double)) {
  std::vector<Tick> ticks;
  double place = std::pow(base, std::floor(std::log(low) / std::log(base) + 1e-9));
  for (; ticks.empty() || ticks.back().place < high * 0.999; place *= base) ticks.push_back({place, label(place)});
  return ticks;
}

void add_rate_by_size(const Results& results, std::vector<Plot>& plots) {
  std::map<std::string, std::map<std::size_t, double>> rates;
  std::vector<std::string> order;
  std::set<std::string> of_libraries;
  const auto add = [&](const std::string& name, const Measurement& m, const Figure& f) {
    if (!rates.contains(name)) order.push_back(name);
    rates[name][m.message_bytes] = f.megabytes_per_second;
  };
  for (const Measurement& m : results.measurements) {
    const Figure* f = best_engine(m);
    if (f == nullptr || m.num_messages > 1 || m.in_place || m.one_pass) continue;
    const std::string job = m.full_name() + (m.direction == "decrypt" ? " dec" : "");
    add(job + ", " + f->name, m, *f);
    const Figure* peer = fastest_peer(m);
    if (peer == nullptr) continue;
    add(job + ", the best library", m, *peer);
    of_libraries.insert(job + ", the best library");
  }
  std::vector<ChartLine> lines;
  double low_x = 1e300, high_x = 0, low_y = 1e300, high_y = 0;
  constexpr std::size_t fewest_sizes = 5;
  for (const std::string& name : order) {
    if (rates[name].size() < fewest_sizes) continue;
    ChartLine line{.name = name, .points = {}, .faint = of_libraries.contains(name)};
    for (const auto& [size, rate] : rates[name]) {
      line.points.emplace_back(static_cast<double>(size), rate);
      low_x = std::min(low_x, static_cast<double>(size));
      high_x = std::max(high_x, static_cast<double>(size));
      low_y = std::min(low_y, rate);
      high_y = std::max(high_y, rate);
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return;
  const Axis x{.title = "bytes in a message", .logarithmic = true, .ticks = powers(low_x, high_x, 16, [](double v) {
                                                                     return size_text(static_cast<std::size_t>(v + 0.5));
                                                                   })};
  const Axis y{.title = "MB/s", .logarithmic = true, .ticks = powers(low_y, high_y, 10, [](double v) {
                                                       return fmt::format("{:.7g}", v);
                                                     })};
  plots.push_back({.name = "rate_by_size",
                   .title = "Rate by message size",
                   .caption =
                       "One call for one message on one core, the key set before; both axes are logarithmic. Dashed: at "
                       "each size the fastest of the other libraries that were measured.",
                   .svg = draw_lines("Rate by message size", x, y, lines)});
}

void add_scaling(const Results& results, std::vector<Plot>& plots) {
  std::vector<ChartLine> lines;
  double most_threads = 1;
  double most_times = 1;
  double fewest_times = 1;
  for (const Measurement& m : results.measurements) {
    std::map<std::string, ChartLine> of_engine;
    for (const Figure& f : m.figures) {
      const Figure* one = find_figure(m, f.name);
      if (f.kind != Kind::engine || one == nullptr) continue;
      ChartLine& line = of_engine[f.name];
      line.name = fmt::format("{}, {}, {}", m.full_name(), size_text(m.message_bytes), f.name);
      line.points.emplace_back(f.num_threads, ratio(f, *one));
    }
    for (auto& [engine, line] : of_engine) {
      if (line.points.size() < 3) continue;
      std::sort(line.points.begin(), line.points.end());
      most_threads = std::max(most_threads, line.points.back().first);
      for (const auto& [threads, times] : line.points) {
        most_times = std::max(most_times, times);
        fewest_times = std::min(fewest_times, times);
      }
      lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) return;
  lines.push_back({.name = "as many times as threads", .points = {{1, 1}, {most_threads, most_threads}}, .faint = true});
  const auto label = [](double v) { return fmt::format("{:.3g}", v); };
  const Axis x{.title = "threads", .logarithmic = true, .ticks = powers(1, most_threads, 2, label)};
  const Axis y{.title = "times one thread",
               .logarithmic = true,
               .ticks = powers(fewest_times, std::max(most_times, most_threads), 2, label)};
  plots.push_back(
      {.name = "scaling",
       .title = "Scaling over threads",
       .caption = "The rate with so many threads over the rate with one; where it bends away, memory is the limit.",
       .svg = draw_lines("Scaling over threads", x, y, lines)});
}

void add_distances(const Results& results, std::vector<Plot>& plots) {
  BarGroup group{.title = "", .bars = {}, .full_value = 100};
  std::set<std::string> seen;
  for (const Measurement& m : results.measurements) {
    const Figure* f = best_engine(m);
    if (f == nullptr || !f->limit_cycles_per_byte || m.message_bytes != usual_message_bytes || m.num_messages > 1 ||
        m.in_place || m.one_pass) {
      continue;
    }
    const std::string label = m.full_name() + (m.direction == "decrypt" ? " dec" : "");
    if (!seen.insert(label).second) continue;
    const double share = 100 * *f->limit_cycles_per_byte / f->cycles_per_byte.median;
    group.bars.push_back(
        {.label = label,
         .value = share,
         .value_text = fmt::format("{:.2f} of {:.2f}", f->cycles_per_byte.median, *f->limit_cycles_per_byte),
         .emphasised = true});
  }
  if (group.bars.empty()) return;
  plots.push_back({.name = "distance_to_limit",
                   .title = "Distance to the limit",
                   .caption =
                       "Cycles a byte, measured and least possible, one core, 64 KiB; a full bar is the limit that the "
                       "kernel's own instructions set.",
                   .svg = draw_bars("Distance to the limit", {group})});
}

}  // namespace

std::vector<Plot> plots_of(const Results& results) {
  std::vector<Plot> plots;
  add_peer_bars(results, plots);
  add_rate_by_size(results, plots);
  add_scaling(results, plots);
  add_distances(results, plots);
  return plots;
}

std::string svg_file(const Plot& plot) {
  const std::size_t after_tag = plot.svg.find('>') + 1;
  return plot.svg.substr(0, after_tag) + "<style>" + chart_style() +
         "</style><rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>" + plot.svg.substr(after_tag) + "\n";
}

}  // namespace phalanx::bench

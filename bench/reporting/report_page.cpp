#include "bench/reporting/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/reporting/plots.hpp"
#include "bench/reporting/result_table.hpp"
#include "bench/reporting/svg_charts.hpp"

namespace phalanx::bench {
namespace {

constexpr const char* page_style = R"(
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; -webkit-text-size-adjust: 100%; }
body { max-width: 75rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; } h2 { font-size: 1.15rem; margin: 0 0 0.25rem; }
p { margin: 0 0 0.75rem; max-width: 42rem; } .quiet { color: var(--quiet); font-size: 0.85rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1.5rem; align-items: start; }
figure { margin: 0; padding: 1rem; border: 1px solid var(--grid); border-radius: 8px; }
section { margin-top: 2rem; }
.wide { overflow-x: auto; border: 1px solid var(--grid); border-radius: 8px; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 0.3rem 0.7rem; text-align: left; white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; border-bottom: 1px solid var(--grid); }
td:first-child { white-space: normal; min-width: 8rem; }
.number { text-align: right; } tr.first td { border-top: 1px solid var(--grid); } tr.ours td { font-weight: 600; }
.met { color: var(--c2); } .missed { color: var(--c4); }
)";

std::string cell(const std::string& text, const char* classes = "") {
  return fmt::format("<td class=\"{}\">{}</td>", classes, escape_markup(text));
}

std::string heading_row(std::initializer_list<std::pair<const char*, bool>> headings) {
  std::string row = "<tr>";
  for (const auto& [text, is_number] : headings) {
    row += fmt::format("<th class=\"{}\">{}</th>", is_number ? "number" : "", escape_markup(text));
  }
  return row + "</tr>\n";
}

std::string verdict_section(const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) return "";
  std::string rows = heading_row({{"goal of", false}, {"measured", true}, {"", false}, {"goal", false}, {"engine", false}});
  for (const Verdict& v : verdicts) {
    const char* colour = !v.judged() ? "quiet" : v.met() ? "met" : "missed";
    rows += "<tr class=\"first\">" + cell(v.job) + cell(v.measured, "number") + cell(describe_margin(v), colour) +
            cell(v.goal) + cell(v.engine) + "</tr>\n";
  }
  return fmt::format(
      "<section><h2>Goals</h2><p class=\"quiet\">{}.</p><div class=\"wide\"><table>\n{}</table></div></section>\n",
      count_verdicts(verdicts), rows);
}

std::string figure_row(const Measurement& m, const Figure& f, bool first) {
  const std::string limit =
      f.limit_cycles_per_byte
          ? fmt::format("{:.0f} %", 100 * *f.limit_cycles_per_byte / f.num_threads / f.cycles_per_byte.median)
          : "";
  const double call = f.seconds.median / static_cast<double>(m.num_messages);
  return fmt::format("<tr class=\"{}{}\">", first ? "first " : "", f.kind == Kind::engine ? "ours" : "") +
         cell(first ? describe_job(m) : "") + cell(describe_contender(f, m)) +
         cell(fmt::to_string(f.num_threads), "number") + cell(fmt::format("{:.1f}", f.megabytes_per_second), "number") +
         cell(fmt::format("{:.3f}", f.cycles_per_byte.median), "number") +
         cell(fmt::format("{:.3f} to {:.3f}", f.cycles_per_byte.low, f.cycles_per_byte.high), "number") +
         cell(limit, "number") + cell(describe_time(call), "number") + "</tr>\n";
}

std::string figure_section(const Results& results) {
  std::string rows = heading_row({{"cipher, mode, direction, message", false},
                                  {"by", false},
                                  {"threads", true},
                                  {"MB/s", true},
                                  {"cycles/byte", true},
                                  {"quartiles, cycles/byte", true},
                                  {"of limit", true},
                                  {"a call", true}});
  for (const Measurement& m : results.measurements) {
    for (const Figure& f : m.figures) rows += figure_row(m, f, &f == &m.figures.front());
  }
  return "<section><h2>All figures</h2><p class=\"quiet\">Medians. MB/s are millions of bytes a second; a call is one "
         "message. <i>Of limit</i>: how near the kernel comes to the least cycles a byte that its own operations allow; it "
         "is "
         "empty where no limit was worked out: other libraries, GPUs, modes in which a block waits for the one before (but "
         "AES), and processors whose units were not counted.</p>"
         "<div class=\"wide\"><table>\n" +
         rows + "</table></div></section>\n";
}

std::string origin(const Results& results) {
  std::string peers;
  for (const PeerVersion& peer : results.peers)
    peers += fmt::format("{}{} {}", peers.empty() ? "" : ", ", peer.name, peer.version);
  return fmt::format("{}{}{}; {} cores; Phalanx {}{}{}, {}; {}, {}; crossovers {}; libraries: {}.", results.cpu,
                     results.gpu.empty() ? "" : "; ", results.gpu, results.num_cores, results.version,
                     results.commit.empty() ? "" : ", commit ", results.commit, results.date, results.compiler,
                     results.flags, results.calibrated ? "measured here" : "built in", peers);
}

}  // namespace

std::string report_page(const Results& results, const std::vector<Verdict>& verdicts) {
  std::string plots;
  for (const Plot& plot : plots_of(results)) {
    plots += fmt::format("<figure><h2>{}</h2><p class=\"quiet\">{}</p>{}</figure>\n", escape_markup(plot.title),
                         escape_markup(plot.caption), plot.svg);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" content=\"light "
      "dark\">"
      "<title>Phalanx on {}</title><style>{}{}</style></head><body>\n"
      "<h1>Phalanx on {}</h1>\n<p>Each output was compared, byte for byte, with somebody else's before and after it was "
      "timed; "
      "contenders were sampled in turn, and the figures are medians.</p>\n<p class=\"quiet\">{}</p>\n"
      "<div class=\"plots\">\n{}</div>\n{}{}</body></html>\n",
      escape_markup(results.cpu), chart_style(), page_style, escape_markup(results.cpu), escape_markup(origin(results)),
      plots, verdict_section(verdicts), figure_section(results));
}

}  // namespace phalanx::bench

#include "program/cli/migrate/manifest_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/text/utf8.hpp"

namespace phalanx {
namespace {

constexpr std::size_t num_columns = 8;
using Cells = std::array<std::string, num_columns>;

Cells headings() {
  return {"old file",  "state",     "opened with",     "why",
          "old bytes", "container", "container bytes", "what became of the old file"};
}

bool is_done(const ManifestRecord& record) { return record.state == MigratedAs::done; }

const char* state_of(const ManifestRecord& record) { return record.doubt ? "doubtful" : state_name(record.state); }

// Says what became of the old file. Where a removal was begun and has no end, the run was stopped within it.
std::string fate_of_old_file(const ManifestRecord& record) {
  if (record.deleted) return "removed";
  if (!record.kept.empty()) return "kept: " + record.kept;
  return record.removing ? "perhaps removed: the run was stopped there" : "kept";
}

// `done` may be of an earlier run than the newest record. Its container is there all the same.
Cells cells_of(const ManifestRecord& newest, const ManifestRecord* done) {
  std::string why = newest.doubt ? newest.doubt.sentence : newest.why;
  if (done == nullptr) return {newest.name, state_of(newest), "", why, "", "", "", fate_of_old_file(newest)};
  if (!is_done(newest)) why += "; the container is of an earlier run";
  return {newest.name,
          state_of(newest),
          done->with.found,
          why,
          std::to_string(done->in_bytes),
          done->container(),
          std::to_string(done->out_bytes),
          fate_of_old_file(newest)};
}

void count(const ManifestRecord& newest, ReportTotals& totals) {
  if (newest.state == MigratedAs::failed) ++totals.num_failed;
  if (newest.state == MigratedAs::skipped) ++totals.num_skipped;
  if (!is_done(newest)) return;
  ++(newest.doubt ? totals.num_doubtful : totals.num_sure);
  if (newest.deleted) ++totals.num_removed;
  totals.old_bytes += newest.in_bytes;
  totals.container_bytes += newest.out_bytes;
}

// Takes text to a sink, in pieces that are worth a call.
class ReportText {
 public:
  explicit ReportText(ByteSink& sink) : sink_(sink) {}

  void put(std::string_view text) {
    constexpr std::size_t piece_bytes = std::size_t{64} << 10;
    text_ += text;
    if (text_.size() >= piece_bytes) flush();
  }

  void flush() {
    sink_.write({reinterpret_cast<const std::uint8_t*>(text_.data()), text_.size()});
    text_.clear();
  }

 private:
  ByteSink& sink_;
  std::string text_;
};

// A program for tables takes what begins so for a formula, and would run the text of a name.
bool looks_as_formula(std::string_view text) {
  constexpr std::string_view beginnings = "=+-@";
  return !text.empty() && beginnings.find(text.front()) != std::string_view::npos;
}

// Returns a line of UTF-8, whatever bytes a name has. A question mark stands for each byte that cannot be shown.
std::string utf8_line(std::string_view text) {
  const std::string line = plain_line(text);
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(line.data()), line.size());
  std::string shown;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t num_bytes = utf8_character_bytes(bytes.subspan(at));
    shown += num_bytes == 0 ? "?" : line.substr(at, num_bytes);
    at += std::max<std::size_t>(num_bytes, 1);
  }
  return shown;
}

std::string csv_cell(std::string_view cell) {
  const std::string line = (looks_as_formula(cell) ? "'" : "") + utf8_line(cell);
  if (line.find_first_of(",\"") == std::string::npos) return line;
  std::string quoted = "\"";
  for (const char character : line) quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + '"';
}

std::string csv_row(const Cells& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
  return row + "\r\n";
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char character : utf8_line(text)) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

constexpr std::size_t state_column = 1, old_bytes_column = 4, container_bytes_column = 6;

std::string html_row(const Cells& cells) {
  std::string row = fmt::format("<tr class=\"{}\">", cells[state_column]);
  for (std::size_t i = 0; i < num_columns; ++i) {
    const bool is_number = i == old_bytes_column || i == container_bytes_column;
    row += (is_number ? "<td class=\"number\">" : "<td>") + html_text(cells[i]) + "</td>";
  }
  return row + "</tr>\n";
}

constexpr std::string_view html_beginning = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Migration report</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1b1b; background: #fff; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .2rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #d8d8d8; }
th { border-bottom: 2px solid #555; }
.wide td:nth-child(1), .wide td:nth-child(6) { min-width: 11rem; overflow-wrap: anywhere; }
.wide td:nth-child(4), .wide td:nth-child(8) { min-width: 12rem; }
.wide td:nth-child(2) { white-space: nowrap; }
.totals { width: auto; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.failed td:nth-child(2) { color: #a40000; font-weight: 600; }
.doubtful td:nth-child(2) { color: #7a4b00; font-weight: 600; }
@media print { body { margin: 0; max-width: none; font-size: 9pt; } thead { display: table-header-group; } tr { break-inside: avoid; } }
</style>
</head>
<body>
)";

std::string html_heading(const ReportTotals& totals, const ManifestTrees& trees, const std::string& manifest_path) {
  std::string text = "<h1>Migration report</h1>\n";
  const auto say = [&](const char* what, const std::string& value) {
    text += fmt::format("<p>{}: {}</p>\n", what, html_text(value));
  };
  say("Old files", trees.from);
  say("Containers", trees.to);
  say("Manifest", manifest_path);
  text += "<h2>In all</h2>\n<table class=\"totals\">\n";
  const auto total = [&](const char* what, std::uint64_t number) {
    text += fmt::format("<tr><td>{}</td><td class=\"number\">{}</td></tr>\n", what, number);
  };
  total("files", totals.num_files());
  total("done", totals.num_sure);
  total("done, but doubtful: a wrong key may have opened them", totals.num_doubtful);
  total("failed", totals.num_failed);
  total("skipped", totals.num_skipped);
  total("old files removed", totals.num_removed);
  total("bytes of the old files that are done", totals.old_bytes);
  total("bytes of their containers", totals.container_bytes);
  return text + "</table>\n";
}

std::string html_table_beginning(const char* title) {
  std::string text = fmt::format("<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead><tr>", title);
  for (const std::string& heading : headings()) text += "<th>" + heading + "</th>";
  return text + "</tr></thead>\n<tbody>\n";
}

ReportTotals totals_of(const Manifest& manifest) {
  ReportTotals totals;
  manifest.for_each([&](const ManifestRecord& newest, const ManifestRecord* /*done*/) { count(newest, totals); });
  return totals;
}

void write_table(const Manifest& manifest, ReportText& text) {
  text.put(csv_row(headings()));
  manifest.for_each(
      [&](const ManifestRecord& newest, const ManifestRecord* done) { text.put(csv_row(cells_of(newest, done))); });
}

// The files that somebody has to decide about come first.
void write_page(const Manifest& manifest, const ReportTotals& totals, const std::string& manifest_path, ReportText& text) {
  text.put(html_beginning);
  text.put(html_heading(totals, manifest.trees(), manifest_path));
  const auto put_files = [&](const char* title, bool of_sure, std::uint64_t number) {
    if (number == 0) return;
    text.put(html_table_beginning(title));
    manifest.for_each([&](const ManifestRecord& newest, const ManifestRecord* done) {
      const bool is_sure = is_done(newest) && !newest.doubt;
      if (is_sure == of_sure) text.put(html_row(cells_of(newest, done)));
    });
    text.put("</tbody>\n</table></div>\n");
  };
  put_files("Failed, doubtful and skipped files", false, totals.num_files() - totals.num_sure);
  put_files("Files that are done", true, totals.num_sure);
  text.put("</body>\n</html>\n");
}

}  // namespace

ReportKind report_kind_of(const std::string& path) {
  if (path.ends_with(".csv")) return ReportKind::csv;
  if (path.ends_with(".html")) return ReportKind::html;
  throw Error(ErrorCode::usage, path + " ends neither with .csv nor with .html: the end of the name says what a report is");
}

ReportTotals write_report(ReportKind kind, const Manifest& manifest, const std::string& manifest_path, ByteSink& out) {
  const ReportTotals totals = totals_of(manifest);
  ReportText text(out);
  if (kind == ReportKind::csv) {
    write_table(manifest, text);
  } else {
    write_page(manifest, totals, manifest_path, text);
  }
  text.flush();
  return totals;
}

std::string describe_totals(const ReportTotals& totals) {
  return fmt::format("{} done, {} doubtful, {} failed, {} skipped, {} of the old files removed", totals.num_sure,
                     totals.num_doubtful, totals.num_failed, totals.num_skipped, totals.num_removed);
}

}  // namespace phalanx

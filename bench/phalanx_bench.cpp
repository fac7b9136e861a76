// The program phalanx-bench: our engines beside other libraries, by cipher, mode, size and threads; plans, JSON, pages and
// plots. It is built by `make bench`, and not installed.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <optional>

#include "bench/measuring/machine.hpp"
#include "bench/measuring/measuring.hpp"
#include "bench/measuring/text_file.hpp"
#include "bench/phalanx_bench_options.hpp"
#include "bench/reporting/plots.hpp"
#include "bench/reporting/report_page.hpp"
#include "bench/reporting/result_table.hpp"
#include "bench/reporting/verdicts.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/console/signal_handlers.hpp"
#include "program/cli/engine/calibration_file.hpp"

namespace phalanx::bench {
namespace {

void print(const std::string& text) { write_all(STDOUT_FILENO, bytes_of(text), "standard output"); }

// An output file that is asked for by an option: whether it may be written is known before anything is measured.
class TextFile {
 public:
  TextFile(const std::string& path, bool force, const ProtectedFiles& needed)
      : output_(path, {.force = force, .binary = false, .needed = &needed, .names = {.force = "--force"}}) {}

  void write(const std::string& text) {
    output_.open();
    output_.write(bytes_of(text));
    output_.commit();
  }

 private:
  Output output_;
};

Results measure_all(const ProgramOptions& options, bool show) {
  const std::vector<Selection> plan = options.plan ? parse_plan(read_text(*options.plan, most_plan_bytes), *options.plan)
                                                   : std::vector<Selection>{parse_selection(options.selection)};
  Results results = describe_machine(options.commit);
  const FoundCalibration found = use_calibration();
  results.calibrated = found.calibration.has_value();
  if (options.verbose) {
    fmt::print(stderr, "phalanx-bench: crossovers: {}\n",
               results.calibrated ? "measured by phalanx bench --calibrate" : found.note);
  }
  if (show) print(table_header(results));
  for (const Selection& selection : plan) {
    for (const Job& job : selection.jobs) {
      results.measurements.push_back(measure(job, selection, results.cpu, options.seconds));
      if (show) print(table_rows(results.measurements.back()));
    }
  }
  return results;
}

Results read_earlier(const std::string& path, bool show) {
  Results results = read_results(read_text(path, most_result_bytes), path);
  if (show) print(table_header(results));
  for (const Measurement& measurement : results.measurements) {
    if (show) print(table_rows(measurement));
  }
  return results;
}

void write_pictures(const Results& results, const std::string& folder, bool force, const ProtectedFiles& needed) {
  for (const Plot& plot : plots_of(results)) {
    TextFile(fmt::format("{}/{}.svg", folder, plot.name), force, needed).write(svg_file(plot));
  }
}

void run(const ProgramOptions& options) {
  ProtectedFiles needed;
  if (options.plan) needed.add_path(*options.plan, "the plan");
  if (options.results) needed.add_path(*options.results, "the results to show");
  std::vector<Results> kept;  // before anything is measured: a wrong file costs no hour
  for (const std::string& path : options.kept) {
    needed.add_path(path, "a kept result");
    kept.push_back(read_results(read_text(path, most_result_bytes), path));
  }
  std::optional<TextFile> json, report;
  if (options.json) json.emplace(*options.json, options.force, needed);
  if (options.report) report.emplace(*options.report, options.force, needed);
  const bool show = !options.json || *options.json != "-";
  const Results results = options.results ? read_earlier(*options.results, show) : measure_all(options, show);
  const std::vector<Verdict> verdicts = verdicts_of(results, kept);
  if (show && !verdicts.empty()) print(fmt::format("\n{}", verdict_table(verdicts)));
  if (json) json->write(write_results(results));
  if (report) report->write(report_page(results, verdicts));
  if (options.pictures) write_pictures(results, *options.pictures, options.force, needed);
}

}  // namespace
}  // namespace phalanx::bench

int main(int argc, char** argv) {
  phalanx::reserve_standard_descriptors();
  phalanx::handle_signals();
  try {
    phalanx::bench::ProgramOptions options;
    if (const auto exit_code = phalanx::bench::parse_program_options(argc, argv, options)) return *exit_code;
    phalanx::bench::run(options);
    return 0;
  } catch (const phalanx::Error& error) {
    fmt::print(stderr, "phalanx-bench: {}\n", error.what());
    return static_cast<int>(error.code() == phalanx::ErrorCode::format ? phalanx::ErrorCode::usage : error.code());
  } catch (const std::exception& error) {
    fmt::print(stderr, "phalanx-bench: {}\n", error.what());
  }
  return static_cast<int>(phalanx::ErrorCode::runtime);
}

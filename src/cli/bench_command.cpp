#include "cli/bench_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <optional>

#include "bench/calibrating.hpp"
#include "bench/machine.hpp"
#include "bench/measuring.hpp"
#include "bench/plots.hpp"
#include "bench/report_page.hpp"
#include "bench/result_table.hpp"
#include "bench/results.hpp"
#include "bench/selection.hpp"
#include "bench/text_file.hpp"
#include "bench/verdicts.hpp"
#include "cli/bench_options.hpp"
#include "cli/crossovers.hpp"
#include "cli/messages.hpp"
#include "io/file_descriptor.hpp"
#include "io/input.hpp"
#include "io/output.hpp"

namespace phalanx {
namespace {

void print(const std::string& text) {
  write_all(STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "standard output");
}

/// An output file that is asked for by an option: whether it may be written is known before anything is measured.
class TextFile {
 public:
  TextFile(const std::string& path, bool force, const NeededFiles& needed)
      : output_(path, {.force = force, .binary = false, .needed = &needed}) {}

  void write(const std::string& text) {
    output_.open();
    output_.write(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    output_.commit();
  }

 private:
  Output output_;
};

bench::Results measure_all(const BenchOptions& options, bool show) {
  const std::vector<bench::Selection> plan =
      options.plan ? bench::parse_plan(bench::read_text(*options.plan, bench::most_plan_bytes), *options.plan)
                   : std::vector<bench::Selection>{bench::parse_selection(options.selection)};
  bench::Results results = bench::describe_machine(options.commit);
  const FoundCalibration found = use_calibration();
  results.calibrated = found.calibration.has_value();
  if (options.verbose) print_note("crossovers: " + (results.calibrated ? "measured by --calibrate" : found.note), false);
  if (show) print(bench::table_header(results));
  for (const bench::Selection& selection : plan) {
    for (const bench::Job& job : selection.jobs) {
      results.measurements.push_back(bench::measure(job, selection, results.cpu, options.seconds));
      if (show) print(bench::table_rows(results.measurements.back()));
    }
  }
  return results;
}

bench::Results read_earlier(const std::string& path, bool show) {
  bench::Results results = bench::read_results(bench::read_text(path, bench::most_result_bytes), path);
  if (show) print(bench::table_header(results));
  for (const bench::Measurement& measurement : results.measurements) {
    if (show) print(bench::table_rows(measurement));
  }
  return results;
}

void write_pictures(const bench::Results& results, const std::string& folder, bool force, const NeededFiles& needed) {
  for (const bench::Plot& plot : bench::plots_of(results)) {
    TextFile(fmt::format("{}/{}.svg", folder, plot.name), force, needed).write(bench::svg_file(plot));
  }
}

int run_calibration() {
  const auto show_crossover = [](const Crossover& measured, std::size_t before) {
    print(fmt::format("{:<14} {:<12} {} blocks one by one (before: {})\n", measured.engine, measured.cipher,
                      measured.serial_blocks, before));
  };
  const auto show_gpu = [](const bench::GpuComparison& found) {
    const std::string from = found.crossover.num_bytes
                                 ? fmt::format("from {:.1f} MB on", static_cast<double>(*found.crossover.num_bytes) / 1e6)
                                 : "never";
    print(fmt::format("{:<14} {:<12} {} (it starts in {:.2f} s and does {:.1f} GB/s, cpu {:.1f} GB/s)\n", "cuda",
                      found.crossover.cipher, from, found.start_seconds, found.gpu_rate / 1e9, found.cpu_rate / 1e9));
  };
  const Calibration calibration = bench::calibrate({.crossover = show_crossover, .gpu = show_gpu});
  print(fmt::format("kept in {}\n", write_calibration(calibration)));
  return 0;
}

int run_bench(const BenchOptions& options) {
  if (options.calibrate) return run_calibration();
  NeededFiles needed;
  if (options.plan) needed.add_path(*options.plan, "the plan");
  if (options.results) needed.add_path(*options.results, "the results to show");
  std::optional<TextFile> json, report;
  if (options.json) json.emplace(*options.json, options.force, needed);
  if (options.report) report.emplace(*options.report, options.force, needed);
  const bool show = !options.json || *options.json != "-";
  const bench::Results results = options.results ? read_earlier(*options.results, show) : measure_all(options, show);
  const std::string verdicts = bench::verdict_table(bench::verdicts_of(results));
  if (show && !verdicts.empty()) print("\n" + verdicts);
  if (json) json->write(bench::write_results(results));
  if (report) report->write(bench::report_page(results));
  if (options.pictures) write_pictures(results, *options.pictures, options.force, needed);
  return 0;
}

}  // namespace

void add_bench_command(CLI::App& program, std::function<int()>& run) {
  CLI::App* command =
      program.add_subcommand("bench", "Measure speed, beside other libraries if asked; each output is checked");
  const auto options = std::make_shared<BenchOptions>();
  add_bench_options(*command, *options);
  command->callback([options, &run] { run = [options] { return run_bench(*options); }; });
}

}  // namespace phalanx

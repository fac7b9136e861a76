#include "cli/bench_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

namespace phalanx {
namespace {

constexpr double fewest_seconds = 0.001;
constexpr double most_seconds = 60;
constexpr const char* what_group = "What to measure (LIST: separated by commas)";
constexpr const char* result_group = "Results";

CLI::Validator number_of_seconds() {
  const auto check = [](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && number >= fewest_seconds && number <= most_seconds) return "";
    return fmt::format("give a number of seconds from {} to {}", fewest_seconds, most_seconds);
  };
  return CLI::Validator(check, "");
}

void add_selection_options(CLI::App& command, bench::SelectionText& selection) {
  const auto add = [&](const char* name, std::string& value, const char* description, const char* type) {
    command.add_option(name, value, description)->type_name(type)->group(what_group);
  };
  add("--cipher", selection.ciphers, "ciphers, or all; default: des-ede3,aes-256,serpent-256,twofish-256", "LIST");
  add("--mode", selection.modes, "modes; default: all that the cipher has", "LIST");
  add("--direction", selection.directions, "encrypt, decrypt or both; default: encrypt, cbc and cfb both", "WHICH");
  add("--size", selection.sizes, "message sizes: 64K,1M or 16..16M (every doubling); default 64K", "LIST");
  add("--batch", selection.batch, "so many messages at once; with :own-keys, a key each", "N[:own-keys]");
  add("--engine", selection.engines, "engines, or all that can run here; default auto", "LIST");
  add("--threads", selection.threads, "numbers of threads, all, or 1..all (every doubling); default 1,all", "LIST");
  command.add_flag("--in-place", selection.in_place, "crypt in place; default: into another buffer")->group(what_group);
  command
      .add_option_function<std::vector<std::string>>(
          "--peers",
          [&selection](const std::vector<std::string>& lists) { selection.peers = lists.empty() ? "all" : lists.front(); },
          "beside other libraries of this build: all (default), or a LIST (NAME:ecb: in ECB whatever the mode)")
      ->type_name("[LIST]")
      ->expected(0, 1)
      ->group(what_group);
}

}  // namespace

void add_bench_options(CLI::App& command, BenchOptions& options) {
  add_selection_options(command, options.selection);
  CLI::Option* plan = command.add_option("--plan", options.plan, "measure what a JSON file lists, with its targets");
  plan->type_name("FILE")->group(what_group);
  for (const char* name :
       {"--cipher", "--mode", "--direction", "--size", "--batch", "--engine", "--threads", "--in-place", "--peers"}) {
    plan->excludes(command.get_option(name));
  }
  command.add_option("--seconds", options.seconds, "how long to sample each row, about; default 0.25")
      ->type_name("S")
      ->check(number_of_seconds())
      ->group(what_group);
  command
      .add_flag("--calibrate", options.calibrate, "measure where one kernel overtakes another, and keep it for later runs")
      ->group(what_group);
  const auto add_file = [&](const char* name, std::optional<std::string>& value, const char* description, const char* type) {
    return command.add_option(name, value, description)->type_name(type)->group(result_group);
  };
  add_file("--json", options.json, "write all figures as JSON; -: to standard output, instead of the table", "FILE");
  add_file("--report", options.report, "write one self-contained page with tables and plots", "FILE.html");
  add_file("--pictures", options.pictures, "write the plots as SVG files into this folder", "FOLDER");
  CLI::Option* results = add_file("--results", options.results, "show a file that --json wrote; measure nothing", "FILE");
  results->excludes(plan)->excludes(command.get_option("--calibrate"));
  command.add_option("--commit", options.commit, "what the program was built from, for the JSON (or PHALANX_COMMIT)")
      ->type_name("TEXT")
      ->envname("PHALANX_COMMIT")
      ->group(result_group);
  command.add_flag("-f,--force", options.force, "replace files that exist")->group(result_group);
  command.add_flag("-v,--verbose", options.verbose, "say what was chosen and why")->group("Messages");
}

}  // namespace phalanx

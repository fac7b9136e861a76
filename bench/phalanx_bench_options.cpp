#include "bench/phalanx_bench_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <vector>

#include "program/cli/commands/help_text.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/options/general_options.hpp"

namespace phalanx::bench {
namespace {

constexpr const char* what_group = "What to measure (LIST: separated by commas)";
constexpr const char* result_group = "Results";

void add_selection_options(CLI::App& program, SelectionText& selection) {
  const auto add = [&](const char* name, std::string& value, const char* description, const char* type) {
    return program.add_option(name, value, description)->type_name(type)->group(what_group);
  };
  mark_common(
      add("--cipher", selection.ciphers, "ciphers, or all; default: des-ede3,aes-256,serpent-256,twofish-256", "LIST"));
  mark_common(add("--mode", selection.modes, "modes; default: all that the cipher has", "LIST"));
  add("--direction", selection.directions, "encrypt, decrypt or both; default: encrypt, cbc and cfb both", "WHICH");
  mark_common(add("--size", selection.sizes, "message sizes: 64K,1M or 16..16M (every doubling); default 64K", "LIST"));
  add("--batch", selection.batch,
      "so many messages at once; with :own-keys, a key each, which peers have ready; :ready-keys, :fresh-keys: all have "
      "them ready, or all expand them within the time",
      "N[:own-keys]");
  mark_common(add("--engine", selection.engines, "engines, or all that can run here; default auto", "LIST"));
  mark_common(
      add("--threads", selection.threads, "numbers of threads, all, or 1..all (every doubling); default 1,all", "LIST"));
  program.add_flag("--in-place", selection.in_place, "crypt in place; default: into another buffer")->group(what_group);
  program
      .add_flag("--one-pass", selection.one_pass,
                "decrypt GCM while the tag is computed, as other libraries do; default: once it verified")
      ->group(what_group);
  program
      .add_option_function<std::vector<std::string>>(
          "--peers",
          [&selection](const std::vector<std::string>& lists) { selection.peers = lists.empty() ? "all" : lists.front(); },
          "beside other libraries of this build: all (default), or a LIST (NAME:ecb: in ECB whatever the mode); one that "
          "lacks the mode runs its ECB; all have one thread, and their keys are set before anything is timed")
      ->type_name("[LIST]")
      ->expected(0, 1)
      ->group(what_group);
  mark_common(program.get_option("--peers"));
}

void add_plan_options(CLI::App& program, ProgramOptions& options) {
  CLI::Option* plan = program.add_option(
      "--plan", options.plan, "measure what a JSON file lists: objects with the names of these options, and targets");
  mark_common(plan)->type_name("FILE")->group(what_group);
  for (const char* name : {"--cipher", "--mode", "--direction", "--size", "--batch", "--engine", "--threads", "--in-place",
                           "--one-pass", "--peers"}) {
    plan->excludes(program.get_option(name));
  }
  mark_common(program.add_option("--seconds", options.seconds, "how long to sample each row, about; default 0.25")
                  ->type_name("S")
                  ->check(number_of_seconds())
                  ->group(what_group));
}

void add_result_options(CLI::App& program, ProgramOptions& options) {
  const auto add_file = [&](const char* name, std::optional<std::string>& value, const char* description, const char* type) {
    return program.add_option(name, value, description)->type_name(type)->group(result_group);
  };
  mark_common(
      add_file("--json", options.json, "write all figures as JSON; -: to standard output, instead of the table", "FILE"));
  mark_common(add_file("--report", options.report, "write one self-contained page with tables and plots", "FILE.html"));
  add_file("--pictures", options.pictures, "write the plots as SVG files into this folder", "FOLDER");
  add_file("--results", options.results, "show a file that --json wrote; measure nothing", "FILE")
      ->excludes(program.get_option("--plan"));
  program
      .add_option(
          "--kept", options.kept,
          "files that --json wrote before, the newest last: each engine's figure is judged by the newest of this processor "
          "and compiler that has it, too")
      ->type_name("FILE...")
      ->group(result_group);
  program.add_option("--commit", options.commit, "what the program was built from, for the JSON (or PHALANX_COMMIT)")
      ->type_name("TEXT")
      ->envname("PHALANX_COMMIT")
      ->group(result_group);
  mark_common(program.add_flag("-f,--force", options.force, "replace files that exist"))->group(result_group);
  mark_common(program.add_flag("-v,--verbose", options.verbose, "say which crossovers are used"))->group("Messages");
}

}  // namespace

std::optional<int> parse_program_options(int argc, char** argv, ProgramOptions& options) {
  CLI::App program("Measure the engines of Phalanx, beside other libraries if asked, and check each output",
                   "phalanx-bench");
  set_help_text(program);
  program.set_version_flag("--version", fmt::format("phalanx-bench {}", version()), "print the version");
  add_selection_options(program, options.selection);
  add_plan_options(program, options);
  add_result_options(program, options);
  set_examples(program,
               "phalanx-bench --cipher aes-256 --mode ctr --size 64K,1M\n"
               "phalanx-bench --plan plan.json --json results.json");
  try {
    program.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& help_or_version) {
    const int exit_code = program.exit(help_or_version);
    if (std::cout.flush()) return exit_code;
    fmt::print(stderr, "phalanx-bench: cannot write standard output\n");
    return static_cast<int>(ErrorCode::runtime);
  } catch (const CLI::ParseError& error) {
    const Error in_one_line(ErrorCode::usage, error.what());
    fmt::print(stderr, "phalanx-bench: {}; see phalanx-bench --help\n", in_one_line.what());
    return static_cast<int>(ErrorCode::usage);
  }
}

}  // namespace phalanx::bench

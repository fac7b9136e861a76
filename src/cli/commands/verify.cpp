#include "cli/commands/verify.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "cli/console/progress_report.hpp"
#include "cli/engine/calibration_file.hpp"
#include "cli/options/container_options.hpp"
#include "cli/options/many_files.hpp"
#include "container/file/file_unsealing.hpp"

namespace phalanx {
namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  SecretSources secrets;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  EngineOptions engine;
  MessageOptions messages;
};

void verify_one(ContainerUnlocker& unlocker, Input& input, const RunOptions& engine, Progress& progress) {
  read_all_chunks(unlocker.open(input, engine), input, {}, engine, progress);
}

int verify_standard_input(const VerifyOptions& options, ContainerUnlocker& unlocker, ProgressStyle style) {
  check_standard_input(options.secrets, "-");
  Input input("-");
  ProgressReport progress(style, input.remaining_bytes());
  verify_one(unlocker, input, options.engine.library_options(), progress);
  progress.finish();
  return 0;
}

int run_verify(const VerifyOptions& options) {
  const ProgressStyle shown = style_of(options.messages);
  const RunOptions engine = options.engine.library_options();
  use_calibration();
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib);
  warn_of_readable_secrets(options.secrets, options.messages.quiet);
  if (options.files.empty() || options.files == std::vector<std::string>{"-"}) {
    return verify_standard_input(options, unlocker, shown);
  }
  const ManyFiles files(options.files, needed);
  ProgressReport progress(shown, files.total_bytes());
  std::atomic<bool> found{false};
  const auto work = [&](Input& input, const FileOfMany& file) -> std::string {
    if (!is_meant_as_container(input, file)) return "no container";
    found = true;
    verify_one(unlocker, input, engine, progress);
    return "";
  };
  const int exit_code = run_many(files, work, "verified", num_files_at_once(options.secrets, options.engine.place),
                                 options.messages.quiet, options.engine.place);
  progress.finish();
  if (exit_code != 0 || found) return exit_code;
  throw Error(ErrorCode::usage, "there is no container among the files that are named: nothing was verified");
}

}  // namespace

void add_verify_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("verify", "Check every chunk of containers, and write nothing");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("FILE", options->files, "containers, and folders of them; - or nothing: standard input")
      ->type_name("");
  add_secret_options(*command, options->secrets, options->messages);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options](RunPlace* place) {
      options->engine.place = place;
      return run_verify(*options);
    };
  });
}

}  // namespace phalanx

#include "cli/commands/encrypt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console/lost_attributes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/progress_report.hpp"
#include "cli/engine/calibration_file.hpp"
#include "cli/options/bare_message.hpp"
#include "cli/options/changing_input.hpp"
#include "cli/options/cipher_arguments.hpp"
#include "cli/options/container_options.hpp"
#include "cli/options/engine_choice.hpp"
#include "cli/options/many_files.hpp"
#include "container/file/file_sealing.hpp"
#include "files/input.hpp"
#include "files/output/output.hpp"
#include "files/rooted_folder.hpp"

namespace phalanx {
namespace {

struct EncryptOptions {
  std::string in, out;
  std::vector<std::string> more;
  bool each = false;
  ContainerOptions container;
  BareOptions bare;
  bool verify = false;
  bool resume = false;
  bool force = false;
  bool changing_input = false;
  EngineOptions engine;
  MessageOptions messages;
};

void say_what_was_found(const ContainerFileWriter& writer, const Output& output, bool quiet) {
  const std::string& partial = output.file()->partial_path();
  if (writer.started_over()) {
    print_note(partial + " holds nothing sealed yet: began afresh, under new keys", quiet);
  } else if (output.file()->found_bytes() != 0) {
    print_note(fmt::format("{} and its record hold {} bytes of plaintext that are done: comparing them, then going on",
                           partial, writer.resumed_bytes()),
               quiet);
  }
}

// The secrets stay where the job refers to them.
struct PreparedJob {
  ContainerJob job;
  RecipientSecrets recipients;
  std::optional<BareSecrets> bare;
  FoundCalibration calibration;  // in use from then on
};

PreparedJob prepare_job(const EncryptOptions& options, const Suite& suite) {
  PreparedJob prepared{
      .job =
          {.suite = &suite, .recipients = {}, .bare = options.bare.bare, .bare_key = {}, .bare_context = {}, .options = {}},
      .recipients = {},
      .bare = std::nullopt,
      .calibration = use_calibration()};
  prepared.job.options = options.engine.library_options();
  if (options.bare.bare) {
    prepared.bare = read_bare_secrets(options.bare, options.container.secrets, suite, SecretUse::seals);
    prepared.job.bare_key = prepared.bare->key;
    prepared.job.bare_context = prepared.bare->context;
  } else {
    prepared.recipients = read_new_recipients(options.container.secrets, suite, options.container.cost);
    prepared.job.recipients = prepared.recipients.recipients;
  }
  warn_of_readable_secrets(options.container.secrets, options.messages.quiet);
  return prepared;
}

void encrypt_to(const EncryptOptions& options, const PreparedJob& prepared, Input& input, Output& output,
                Progress& progress) {
  const ContainerJob& job = prepared.job;
  const bool quiet = options.messages.quiet;
  FileSealing sealing{.verify = options.verify,
                      .without_verifying = "leave --verify out",
                      .changes = {.allowed = options.changing_input, .setting = changing_input_option}};
  sealing.on_begun = [&](const ContainerFileWriter& writer) {
    if (options.resume) say_what_was_found(writer, output, quiet);
    if (!options.messages.verbose) return;
    print_note(fmt::format("{} runs on {}", job.suite->cipher, writer.engine()), false);
    const std::string crossover = describe_crossover(writer.engine(), job.suite->name, prepared.calibration);
    if (!crossover.empty()) print_note(crossover, false);
  };
  sealing.on_left_out = [&](std::uint64_t num_bytes) {
    print_note(fmt::format("{} has {} bytes more than when OUT was begun and its length was settled: they are not in OUT",
                           input.name(), num_bytes),
               quiet);
  };
  sealing.on_input_change = [&](const std::string& what) { print_note("warning: " + what, quiet); };
  seal_input(job, sealing, input, output, progress);
  say_lost_attributes(output, quiet);
}

std::uint64_t num_readings(const EncryptOptions& options) { return options.verify ? 2 : 1; }

int encrypt_one(const EncryptOptions& options, const Suite& suite) {
  const ProgressStyle style = style_of(options.messages);
  check_standard_input(options.container.secrets, options.in);
  Input input(options.in);
  ProtectedFiles needed;
  add_secret_files(options.container.secrets, needed);
  const OutputOptions writing{.force = options.force,
                              .can_resume = true,
                              .resume = options.resume,
                              .needed = &needed,
                              .names = output_option_names_with_each};
  Output output(options.out, writing, &input);
  const PreparedJob prepared = prepare_job(options, suite);
  const auto in_bytes = input.remaining_bytes();
  ProgressReport progress(style, in_bytes ? std::optional(*in_bytes * num_readings(options)) : std::nullopt);
  encrypt_to(options, prepared, input, output, progress);
  progress.finish();
  return 0;
}

int encrypt_each(const EncryptOptions& options, const Suite& suite) {
  const ProgressStyle style = style_of(options.messages);
  ProtectedFiles needed;
  add_secret_files(options.container.secrets, needed);
  const ManyFiles files(names_of_each(options.in, options.out, options.more), needed);
  const PreparedJob prepared = prepare_job(options, suite);
  ProgressReport progress(style, files.total_bytes() * num_readings(options));
  const auto work = [&](Input& input, const FileOfMany& file) -> std::string {
    if (begins_as_container(input)) return "a container already";
    const auto require_free_out = [&] {
      require_free(file.folder.get(), (file.folder ? file.name_in_folder : file.path) + container_suffix);
    };
    require_free_out();
    Output output(file.path + container_suffix,
                  {.force = options.force,
                   .made_up = true,
                   .widest = read_attributes(input.descriptor()),
                   .needed = &files.inputs(),
                   .names = output_option_names},
                  &input);
    require_free_out();  // a folder that became a link meanwhile would have been followed
    encrypt_to(options, prepared, input, output, progress);
    return "";
  };
  const int exit_code =
      run_many(files, work, "encrypted", num_files_at_once(options.container.secrets, options.engine.place),
               options.messages.quiet, options.engine.place);
  progress.finish();
  return exit_code;
}

int run_encrypt(const EncryptOptions& options) {
  const Suite& suite = read_suite_name(options.container.cipher);
  check_bare_options(options.bare, options.container.secrets);
  if (options.each) return encrypt_each(options, suite);
  refuse_more_files(options.more);
  return encrypt_one(options, suite);
}

}  // namespace

void add_encrypt_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("encrypt", "Encrypt IN to OUT, authenticated");
  const auto options = std::make_shared<EncryptOptions>();
  add_stream_arguments(*command, options->in, options->out);
  add_container_options(*command, options->container, options->messages);
  add_bare_options(*command, options->bare);
  command->add_flag("--verify", options->verify, "read OUT back and compare before it gets its name");
  add_resume_option(*command, options->resume);
  add_force_option(*command, options->force);
  add_changing_input_option(*command, options->changing_input);
  add_each_option(*command, options->more, options->each,
                  "encrypt each of the files and folders that are named to its name and .phalanx");
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options](RunPlace* place) {
      options->engine.place = place;
      return run_encrypt(*options);
    };
  });
}

}  // namespace phalanx

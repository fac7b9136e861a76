#include "cli/commands/decrypt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console/lost_attributes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/progress_report.hpp"
#include "cli/console/size_text.hpp"
#include "cli/engine/calibration_file.hpp"
#include "cli/options/bare_message.hpp"
#include "cli/options/cipher_arguments.hpp"
#include "cli/options/container_options.hpp"
#include "cli/options/many_files.hpp"
#include "container/file/file_unsealing.hpp"
#include "container/file/stream_reader.hpp"
#include "files/input.hpp"
#include "files/output/output.hpp"
#include "files/rooted_folder.hpp"

namespace phalanx {
namespace {

struct DecryptOptions {
  std::string in, out;
  std::vector<std::string> more;
  bool each = false;
  std::optional<std::string> cipher;
  std::optional<std::string> range;
  SecretSources secrets;
  BareOptions bare;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  bool resume = false;
  bool force = false;
  EngineOptions engine;
  MessageOptions messages;
};

// "OFFSET:LENGTH", or "OFFSET:"; "1M:64K" too.
Slice parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto number = [](std::string_view digits) { return parse_bytes(digits, std::numeric_limits<std::uint64_t>::max()); };
  const std::string_view whole = text;
  const auto offset = number(whole.substr(0, colon));
  const std::string_view length = colon == std::string::npos ? "x" : whole.substr(colon + 1);
  const auto num_bytes = length.empty() ? std::nullopt : number(length);
  if (!offset || (!length.empty() && !num_bytes)) {
    throw Error(ErrorCode::usage,
                "--range is OFFSET:LENGTH, two numbers of bytes such as 4096 or 4K, or OFFSET: for all to the end");
  }
  return {.offset = *offset, .num_bytes = num_bytes};
}

void check_options(const DecryptOptions& options) {
  check_bare_options(options.bare, options.secrets);
  if (options.cipher && !options.bare.bare) {
    throw Error(ErrorCode::usage, "--cipher goes with --bare only: a container says itself what it is sealed with");
  }
  if (options.range && options.resume) {
    throw Error(ErrorCode::usage, "--range reads little, and --resume goes on with all: give one of them");
  }
}

// Reads what stands before the chunks.
ChunkedCipher open_beginning(const DecryptOptions& options, Input& input) {
  const RunOptions engine = options.engine.library_options();
  if (options.bare.bare) {
    const std::string name = options.cipher.value_or("aes-256");
    const Suite& suite = read_suite_name(name);
    const BareSecrets secrets = read_bare_secrets(options.bare, options.secrets, suite, SecretUse::opens);
    return read_prefix(input, suite, secrets.key, secrets.context, engine);
  }
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib);
  return unlocker.open(input, engine);
}

void decrypt_all(const DecryptOptions& options, Input& input, Output& output, const ChunkedCipher& cipher,
                 Progress& progress) {
  const auto say_what_was_found = [&](const PlaintextFileWriter& writer) {
    if (!options.resume || output.file()->found_bytes() == 0) return;
    print_note(fmt::format("{} and its record hold {} bytes that are done: comparing them, then going on",
                           output.file()->partial_path(), writer.resumed_bytes()),
               options.messages.quiet);
  };
  unseal_input(cipher, input, output, options.engine.library_options(), say_what_was_found, progress);
  say_lost_attributes(output, options.messages.quiet);
}

void decrypt_stream(const DecryptOptions& options, Input& input, Output& output, const ChunkedCipher& cipher,
                    ProgressStyle style) {
  const std::optional<std::uint64_t> sealed_bytes = input.remaining_bytes();
  require_possible_length(input);
  output.open();
  ProgressReport progress(output.is_held_back() ? without_bar(style) : style, sealed_bytes);
  decrypt_all(options, input, output, cipher, progress);
  progress.finish();
}

void decrypt_slice(const Slice& slice, const Input& input, Output& output, const ChunkedCipher& cipher,
                   const RunOptions& engine, ProgressStyle style) {
  const SeekableMessage message(input, cipher);
  const std::uint64_t slice_bytes = message.bytes_of(slice);
  output.open();
  ProgressReport progress(output.is_held_back() ? without_bar(style) : style, slice_bytes);
  unseal_slice(message, slice, output, engine, progress);
  progress.finish();
}

int decrypt_one(const DecryptOptions& options, ProgressStyle style) {
  const std::optional<Slice> slice = options.range ? std::optional(parse_range(*options.range)) : std::nullopt;
  Input input(options.in);
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  const OutputOptions writing{.force = options.force,
                              .can_resume = !slice,
                              .resume = options.resume,
                              .text_on_terminal = true,
                              .needed = &needed,
                              .names = output_option_names_with_each};
  Output output(options.out, writing, &input);
  const ChunkedCipher cipher = open_beginning(options, input);
  warn_of_readable_secrets(options.secrets, options.messages.quiet);
  if (options.messages.verbose) print_note("chunks are opened on " + cipher.engine(), false);
  if (slice) {
    decrypt_slice(*slice, input, output, cipher, options.engine.library_options(), style);
    say_lost_attributes(output, options.messages.quiet);
  } else {
    decrypt_stream(options, input, output, cipher, style);
  }
  return 0;
}

int decrypt_each(const DecryptOptions& options, ProgressStyle style) {
  const RunOptions engine = options.engine.library_options();
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  const ManyFiles files(names_of_each(options.in, options.out, options.more), needed);
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib);
  warn_of_readable_secrets(options.secrets, options.messages.quiet);
  ProgressReport progress(style, files.total_bytes());
  const auto work = [&](Input& input, const FileOfMany& file) -> std::string {
    const std::string suffix = container_suffix;
    const bool has_suffix = file.path.ends_with(suffix) && !file.path.ends_with('/' + suffix);
    if (!has_suffix && file.from_folder) return "its name does not end in .phalanx";
    if (!has_suffix)
      throw Error(ErrorCode::usage, "there is no .phalanx to take off the name: give IN and OUT without --each");
    const auto without_suffix = [&](const std::string& name) { return name.substr(0, name.size() - suffix.size()); };
    const auto require_free_out = [&] {
      require_free(file.folder.get(), without_suffix(file.folder ? file.name_in_folder : file.path));
    };
    require_free_out();
    Output output(without_suffix(file.path),
                  {.force = options.force,
                   .made_up = true,
                   .widest = read_attributes(input.descriptor()),
                   .needed = &files.inputs(),
                   .names = output_option_names},
                  &input);
    const ChunkedCipher cipher = unlocker.open(input, engine);
    require_free_out();  // a folder that became a link meanwhile would have been followed
    output.open();
    decrypt_all(options, input, output, cipher, progress);
    return "";
  };
  const int exit_code = run_many(files, work, "decrypted", num_files_at_once(options.secrets, options.engine.place),
                                 options.messages.quiet, options.engine.place);
  progress.finish();
  return exit_code;
}

int run_decrypt(const DecryptOptions& options) {
  const ProgressStyle shown = style_of(options.messages);
  check_options(options);
  use_calibration();
  if (options.each) return decrypt_each(options, shown);
  refuse_more_files(options.more);
  check_standard_input(options.secrets, options.in);
  return decrypt_one(options, shown);
}

}  // namespace

void add_decrypt_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("decrypt", "Decrypt what encrypt wrote, or a part of it, once it is authentic");
  const auto options = std::make_shared<DecryptOptions>();
  add_stream_arguments(*command, options->in, options->out);
  command->add_option("--range", options->range, "only LENGTH bytes from OFFSET on; no LENGTH: to the end")
      ->type_name("OFFSET:LENGTH");
  command->add_option("--cipher", options->cipher, "with --bare: aes-256 (default), aes-128, serpent-256 or twofish-256")
      ->type_name("NAME");
  add_secret_options(*command, options->secrets, options->messages);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_bare_options(*command, options->bare);
  add_resume_option(*command, options->resume);
  add_force_option(*command, options->force);
  add_each_option(*command, options->more, options->each,
                  "decrypt each of the files that are named, and of those in folders, to its name without .phalanx")
      ->excludes(command->get_option("--range"));
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options](RunPlace* place) {
      options->engine.place = place;
      return run_decrypt(*options);
    };
  });
}

}  // namespace phalanx

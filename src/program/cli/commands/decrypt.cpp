#include "program/cli/commands/decrypt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/container/file/file_unsealing.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/results/result_parts.hpp"
#include "files/container/trees/tree_unsealing.hpp"
#include "files/system/input.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/bare_message.hpp"
#include "program/cli/options/byte_range.hpp"
#include "program/cli/options/cipher_arguments.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/tree_options.hpp"
#include "program/cli/options/tree_report.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

struct DecryptOptions {
  std::string in, out;
  EachOptions each;
  std::optional<std::string> cipher;
  std::optional<std::string> range;
  SecretSources secrets;
  BareOptions bare;
  BindingOptions binding;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  bool resume = false;
  bool force = false;
  RequestedEngine engine;
  MessageOptions messages;
};

void check_options(const DecryptOptions& options) {
  check_bare_options(options.bare, options.binding, options.secrets);
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
  const GivenBinding given(options.binding, options.bare.bare);
  if (options.bare.bare) {
    const std::string name = options.cipher.value_or("aes-256");
    const Suite& suite = read_suite_name(name);
    const SecretBytes key = read_key(options.secrets, suite.key_bytes, SecretUse::opens);
    return read_prefix(input, suite, key, given.binding().context, engine);
  }
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib, given.binding());
  unlocker.name_input(input.name());
  return unlocker.open(input, name_of_container(input.own_name()), engine);
}

void decrypt_all(const DecryptOptions& options, Input& input, Output& output, const ChunkedCipher& cipher,
                 Progress& progress) {
  const auto say_what_was_found = [&](const PlaintextFileWriter& writer) {
    if (writer.is_lost()) {
      print_note(output.file()->partial_path() + unread_from_disk + ": began afresh, in a new file", options.messages.quiet);
    }
    if (!options.resume || output.file()->found_bytes() == 0) return;
    print_note(fmt::format("{} and its record hold {} bytes that are done: comparing them, then going on",
                           output.file()->partial_path(), writer.resumed_bytes()),
               options.messages.quiet);
    say_unless_from_disk(output.file()->partial_path(), output.file()->found_source(), options.messages.quiet);
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
  const ProtectedFiles needed = secret_files(options.secrets, options.in);
  Input input(options.in);
  OutputOptions writing{.force = options.force,
                        .can_resume = !slice,
                        .resume = options.resume,
                        .text_on_terminal = true,
                        .needed = &needed,
                        .names = names_beside(options.out, true)};
  if (!options.each.no_keep) keep_of_named(input, !slice, writing);
  Output output(options.out, writing, &input);
  const ChunkedCipher cipher = open_beginning(options, input);
  if (options.messages.verbose) print_note("chunks are opened on " + cipher.engine(), false);
  if (slice) {
    decrypt_slice(*slice, input, output, cipher, options.engine.library_options(), style);
    say_lost_attributes(output, options.messages.quiet);
  } else {
    decrypt_stream(options, input, output, cipher, style);
  }
  return 0;
}

// Holds the sources of a run whose files go into one folder.
struct OpenedPart {
  ResultPart part;
  TreeUnsealing unsealing;
  std::optional<TreeUnsealer> unsealer{};
};

// Returns what each part is told before the containers are listed.
TreeUnsealing unsealing_of(const DecryptOptions& options) {
  TreeUnsealing unsealing;
  unsealing.engine = options.engine.library_options();
  unsealing.options.replace = options.force;
  unsealing.options.keep = !options.each.no_keep;
  unsealing.options.update = read_update(options.each.update);
  unsealing.names = tree_option_names;
  unsealing.on_done = [quiet = options.messages.quiet](const Output& output) { say_lost_attributes(output, quiet); };
  return unsealing;
}

// If several sources are given, each folder keeps its name.
std::list<OpenedPart> list_parts(const DecryptOptions& options, const ProtectedFiles& needed, ProtectedFiles& with_named) {
  std::list<OpenedPart> opened;
  std::vector<ResultPart> parts = parts_of(names_of_each(options.in, options.out, options.each), options.each.to());
  protect_named_files(parts, with_named);
  for (ResultPart& part : parts) {
    OpenedPart& one = opened.emplace_back();
    one.part = std::move(part);
    one.unsealing = unsealing_of(options);
    one.unsealing.to = one.part.to ? &*one.part.to : nullptr;
    one.unsealing.within = one.part.within ? &*one.part.within : nullptr;
    one.unsealer.emplace(one.part.from, one.unsealing, one.part.place.empty() ? needed : with_named);
  }
  return opened;
}

int decrypt_each(const DecryptOptions& options, ProgressStyle style) {
  const bool quiet = options.messages.quiet;
  const RunOptions engine = options.engine.library_options();
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  ProtectedFiles with_named(&needed);
  std::list<OpenedPart> parts = list_parts(options, needed, with_named);
  refuse_name_of_tree(options.binding);
  const GivenBinding given(options.binding);
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib, given.binding());
  std::vector<std::string> paths;
  std::uint64_t total_bytes = 0;
  for (OpenedPart& part : parts) {
    const std::vector<std::string> more = part.unsealer->files().paths();
    paths.insert(paths.end(), more.begin(), more.end());
    total_bytes += part.unsealer->total_bytes();
    part.unsealing.open = [&](Input& input, const std::string& name) { return unlocker.open(input, name, engine); };
  }
  unlocker.expect(std::move(paths));
  ProgressReport progress(style, total_bytes);
  const OnTreeFileResult on_file = say_each(quiet);
  FilesAtOnce at_once(options.secrets, options.engine.library_options(), SharedSync::num_files_together());
  TreeCounts counts;
  for (OpenedPart& part : parts) {
    const TreeProgress how{.progress = progress, .on_file = on_file, .running = at_once.running()};
    add_counts(counts, part.unsealer->run(how), part.part.place);
  }
  progress.finish();
  return say_all(counts, "decrypted", !options.each.update.empty(), quiet);
}

int run_decrypt(const DecryptOptions& options) {
  const ProgressStyle shown = style_of(options.messages);
  check_options(options);
  use_calibration();
  if (options.each.each) return decrypt_each(options, shown);
  refuse_more_files(options.each, options.in, "decrypt");
  refuse_without_each(!options.each.update.empty(), "--update");
  return decrypt_one(options, shown);
}

}  // namespace

void add_decrypt_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("decrypt", "Decrypt what encrypt wrote, or a part of it, once it is authentic");
  set_examples(*command,
               "phalanx decrypt --key-file key notes.phalanx notes.copy\n"
               "phalanx decrypt --each --key-file key photos.sealed --to-tree photos.copy");
  const auto options = std::make_shared<DecryptOptions>();
  add_stream_arguments(*command, options->in, options->out);
  mark_common(command->add_option("--range", options->range, "only LENGTH bytes from OFFSET on; no LENGTH: to the end")
                  ->type_name("OFFSET:LENGTH"));
  command->add_option("--cipher", options->cipher, "with --bare: " + suite_choices())->type_name("NAME");
  add_secret_options(*command, options->secrets, options->messages);
  add_identity_option(*command, options->secrets);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_bare_options(*command, options->bare);
  add_opening_bindings(*command, options->binding);
  add_resume_option(*command, options->resume);
  add_force_option(*command, options->force);
  add_each_options(*command, options->each, "decrypt named files and those of folders, to names without .phalanx")
      ->excludes(command->get_option("--range"));
  mark_common(command->add_flag("--update{time}", options->each.update,
                                "with --each: leave files that have the size and time of their containers; =content opens "
                                "and compares"));
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options](RunExecutor* executor) {
      options->engine.executor = executor;
      return run_decrypt(*options);
    };
  });
}

}  // namespace phalanx

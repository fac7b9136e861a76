#include "program/cli/commands/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/threads/threads.hpp"
#include "files/container/file/file_unsealing.hpp"
#include "files/container/index/index_comparison.hpp"
#include "files/system/output/cached_pages.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/binding_options.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/index_options.hpp"
#include "program/cli/options/tree_options.hpp"
#include "program/cli/options/tree_report.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  SecretSources secrets;
  IndexOptions index;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  BindingOptions binding;
  bool from_disk = false;
  RequestedEngine engine;
  MessageOptions messages;
};

int verify_standard_input(const VerifyOptions& options, ContainerUnlocker& unlocker, ProgressStyle style) {
  check_standard_input(options.secrets, "-");
  Input input("-");
  ProgressReport progress(style, input.remaining_bytes());
  TreeReport report("verified", options.messages, !options.secrets.named.empty());
  FileOutcome outcome;
  try {
    const RunOptions engine = options.engine.library_options();
    if (options.from_disk) require_from_disk(input.descriptor(), input.name());
    read_all_chunks(unlocker.open(input, "", engine), input, {}, engine, progress);
  } catch (const Error& error) {
    outcome = {.failed = true, .code = error.code(), .why = error.what()};
  }
  progress.finish();
  report.tell(input.name(), outcome);
  return report.finish();
}

// Returns an outcome as messages have it; "" for one that only the summary has.
std::string describe(const IndexedFile& file) {
  const std::string of_name = file.other == file.name ? "" : " of " + file.other;
  switch (file.outcome) {
    case IndexedAs::right:
      return "";
    case IndexedAs::swapped:
      return "swapped: it is the container of " + file.other;
    case IndexedAs::renamed:
      return "renamed: its container is called " + file.other;
    case IndexedAs::removed:
      return file.other.empty() ? "removed" : "removed: its container is at " + file.other;
    case IndexedAs::older:
      return fmt::format("older: it is the container{} of generation {}", of_name, file.generation);
    case IndexedAs::changed:
      return "changed: " + file.why;
    case IndexedAs::added:
      if (file.other.empty()) return "added: it is not in the index";
      if (file.generation == 0) return "added: it is a copy of " + file.other;
      return fmt::format("added: it is the container of {} of generation {}", file.other, file.generation);
    case IndexedAs::failed:
      return file.why;
    case IndexedAs::skipped:
      return "skipped: " + file.why;
    case IndexedAs::header_changed:
      return fmt::format("body right, header changed since generation {}", file.generation);
    case IndexedAs::header_older:
      return fmt::format("body right, and the header of generation {} was put back: who was removed since may open it again",
                         file.generation);
  }
  return "";
}

// Tells of a name, and counts it where it makes the run fail. A changed header is only doubtful, since `recipients` without
// the index may have changed it.
void tell_indexed(const IndexedFile& file, const std::string& folder, const VerifyOptions& options, FailureCount& failures) {
  const std::string line = folder + '/' + file.name + ": " + describe(file);
  const bool is_note = file.outcome == IndexedAs::skipped || (file.outcome == IndexedAs::added && !options.index.strict);
  if (is_note) return print_note(line, options.messages.quiet);
  const bool is_doubt = file.outcome == IndexedAs::header_changed && !options.index.strict;
  if (!is_doubt) failures.add(exit_code_of(file.code));
  print_error(line);
}

std::string summary_of(const TreeIndexCounts& counts) {
  const std::uint64_t not_opened = counts.num_right - counts.num_opened - counts.num_digests;
  std::string content = fmt::format("{} opened", counts.num_opened);
  if (counts.num_digests != 0) content += fmt::format(", {} by their digests", counts.num_digests);
  if (not_opened != 0) content += fmt::format(", {} not opened", not_opened);
  std::string summary =
      fmt::format("{} as the index has them ({}), {} wrong, {} added, {} failed, {} skipped", counts.num_right, content,
                  counts.num_wrong, counts.num_added, counts.num_failed, counts.num_skipped);
  if (counts.num_headers_changed != 0) summary += fmt::format(", {} with a changed header", counts.num_headers_changed);
  return summary;
}

int verify_by_index(const VerifyOptions& options, const NamedIndex& named, const ProtectedFiles& needed,
                    ProgressStyle style) {
  if (options.files.size() != 1 || options.files.front() == "-")
    throw Error(ErrorCode::usage, "--index is of one folder: name that, and nothing else");
  const std::string& folder = options.files.front();
  IndexComparison comparison(folder, named.options, needed);
  const GivenBinding given(options.binding);
  std::optional<ContainerUnlocker> unlocker;
  IndexComparing how;
  how.engine = options.engine.library_options();
  how.from_disk = options.from_disk;
  if (!options.secrets.named.empty()) {
    unlocker.emplace(options.secrets, options.scrypt_budget_mib, given.binding());
    how.open = [&](Input& input, const std::string& name) { return unlocker->open(input, name, how.engine); };
  }
  FailureCount failures;
  ProgressReport progress(style, comparison.total_bytes());
  const auto tell = [&](const IndexedFile& file) { tell_indexed(file, folder, options, failures); };
  const TreeIndexCounts counts = comparison.run(how, tell, progress);
  progress.finish();
  say_half_segment(named.options.path, counts.generation, options.messages.quiet);
  print_note(summary_of(counts), options.messages.quiet);
  say_no_headers(named.options.path, counts.generation, options.messages.quiet);
  print_generation(named.options.path, counts.generation);
  return exit_code_with_doubts(failures.exit_code(), counts.num_headers_changed, options.index.strict);
}

int verify_files(const VerifyOptions& options, ContainerUnlocker& unlocker, const ProtectedFiles& needed,
                 const ProgressStyle& shown) {
  const RunOptions engine = options.engine.library_options();
  const TreeListing files(options.files, needed);
  if (files.files().size() != 1 || !files.has_named_files()) refuse_name_of_tree(options.binding);
  unlocker.expect(files.paths());
  ProgressReport progress(shown, files.total_bytes());
  std::atomic<bool> found{false};
  const auto work = [&](Input& input, const ListedFile& file) -> std::string {
    if (!is_meant_as_container(input, file)) return no_container;
    if (options.from_disk) require_from_disk(input.descriptor(), input.name());
    found = true;
    const ChunkedCipher cipher = unlocker.open(input, container_name_of(file), engine, file.has_no_rewrite);
    read_all_chunks(cipher, input, {}, engine, progress);
    return "";
  };
  TreeReport report("verified", options.messages, !options.secrets.named.empty());
  FilesAtOnce at_once(options.secrets, engine, static_cast<std::size_t>(thread_count(engine.num_threads)));
  const int exit_code = report_tree(files, work, report, at_once.running());
  progress.finish();
  if (exit_code != 0 || found) return exit_code;
  throw Error(ErrorCode::usage, "there is no container among the files that are named: nothing was verified");
}

int run_verify(const VerifyOptions& options) {
  check_index_options(options.index, false);
  const ProgressStyle shown = style_of(options.messages);
  use_calibration();
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  add_secret_files(options.index.key, needed);
  const std::optional<NamedIndex> index = read_named_index(options.index, false);
  if (index) return verify_by_index(options, *index, needed, shown);
  const GivenBinding given(options.binding);
  ContainerUnlocker unlocker(options.secrets, options.scrypt_budget_mib, given.binding());
  if (options.files.empty() || options.files == std::vector<std::string>{"-"}) {
    return verify_standard_input(options, unlocker, shown);
  }
  return verify_files(options, unlocker, needed, shown);
}

}  // namespace

void add_verify_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("verify", "Check every chunk of containers, and write nothing");
  set_examples(*command,
               "phalanx verify --key-file key notes.phalanx\n"
               "phalanx verify --key-file key photos.sealed");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("FILE", options->files, "containers, and folders of them; - or nothing: standard input")
      ->type_name("");
  add_secret_options(*command, options->secrets, options->messages);
  add_identity_option(*command, options->secrets);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_opening_bindings(*command, options->binding);
  add_index_reading_options(*command, options->index, options->messages);
  command->add_flag("--from-disk", options->from_disk,
                    "read each container from its disk, not from memory; a container fails if that cannot be done");
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options](RunExecutor* executor) {
      options->engine.executor = executor;
      return run_verify(*options);
    };
  });
}

}  // namespace phalanx

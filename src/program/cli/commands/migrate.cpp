#include "program/cli/commands/migrate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "files/container/file/stages.hpp"
#include "files/migration/removal_conditions.hpp"
#include "files/system/file_clock.hpp"
#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"
#include "files/system/rooted_folder.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/migrate/candidate_options.hpp"
#include "program/cli/migrate/manifest_report.hpp"
#include "program/cli/migrate/options.hpp"
#include "program/cli/migrate/read_only_runs.hpp"
#include "program/cli/migrate/report.hpp"
#include "program/cli/migrate/tree.hpp"
#include "program/cli/options/cipher_arguments.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/length_limits.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

FileDescriptor open_folder_of(const std::string& path, int flags) {
  return open_file(folder_of(path).empty() ? "." : folder_of(path), flags | O_DIRECTORY);
}

// Opens an old file that is to go, so late that its next save shows in its times. Returns why it must stay, or "" if it need
// not. A link is opened without waiting, since it is not removed anyway.
std::string open_settled(const std::string& in, std::optional<Input>& input) {
  struct stat status {};
  if (::lstat(in.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    input.emplace(in);
    return "";
  }
  FileClocks clocks;
  clocks.begin(status.st_dev, folder_of(in).empty() ? "." : folder_of(in), [&] { return open_folder_of(in, O_PATH); });
  input.emplace(in);
  const FileAge age = clocks.judge(FileStamp(input->status()), in);
  if (!age.is_young) return age.why_kept;
  clocks.wait();
  input.emplace(in);
  return clocks.judge(FileStamp(input->status()), in).why_kept;
}

void remove_one_source(const MigrateOptions& options, const Migration& migration, const MigratedFile& migrated,
                       SourceVerdict& verdict) {
  verdict.doubt = migration.trials.doubt(migrated.evidence);
  if (!options.given.delete_source) {
    if (verdict.doubt)
      print_note("OUT is doubtful: " + verdict.doubt.sentence, options.messages.quiet || options.doubt_is_ok);
    return;
  }
  if (verdict.doubt && !options.given.delete_doubtful) {
    print_note(options.in + " is doubtful and stays: " + verdict.doubt.sentence +
                   "; if OUT is right, remove it, or give --delete-doubtful",
               options.messages.quiet);
    return;
  }
  if (!verdict.kept.empty()) return;
  const FileDescriptor folder = open_folder_of(options.in, O_RDONLY);
  const RemovalLimits limits{.delete_volatile = options.given.delete_volatile, .volatile_setting = "--delete-volatile"};
  const auto check = [&] { require_container(options.out, migrated, limits); };
  try {
    remove_file(folder.get(), last_name_of(options.in), migrated.source, check, migration.removals, options.in);
    verdict.deleted = true;
  } catch (const KeptFile& kept) {
    verdict.kept = kept.what();
  }
}

int finish_one(const MigrateOptions& options, const Migration& migration, const MigratedFile& migrated,
               const std::string& why_kept) {
  SourceVerdict verdict{.kept = why_kept};
  if (!options.json) print_migrated(migrated);
  try {
    remove_one_source(options, migration, migrated, verdict);
  } catch (const Error&) {
    if (options.json) print_migrated_json(migrated, verdict);
    throw;
  }
  const bool is_kept = options.given.delete_source && !verdict.deleted && (!verdict.doubt || options.given.delete_doubtful);
  if (!is_kept) verdict.kept.clear();
  if (options.json) print_migrated_json(migrated, verdict);
  if (is_kept) throw Error(ErrorCode::runtime, "the old file is kept: " + verdict.kept);
  return exit_code_with_doubts(0, verdict.doubt ? 1 : 0, options.doubt_is_ok);
}

int migrate_one(const Migration& migration, const MigrateOptions& options, const ChosenEngine& chosen, ProgressStyle style) {
  std::optional<Input> input;
  std::string why_kept;
  if (options.given.delete_source) {
    why_kept = open_settled(options.in, input);
  } else {
    input.emplace(options.in);
  }
  const auto in_bytes = input->remaining_bytes();
  ProgressReport progress(style, in_bytes);
  FileProgress file_progress(progress, in_bytes.value_or(std::numeric_limits<std::uint64_t>::max()),
                             migration.verify ? 2 : 1);
  const bool says = !options.messages.quiet;
  const MigrationNotes notes{.label = "", .verbose = options.messages.verbose, .findings = says, .warnings = says};
  const auto say = [&](const MigrationBeginning& beginning) { print_beginning(notes, beginning, chosen); };
  const MigrationTarget target{.out = options.out,
                               .name = name_of_container(own_name_of(options.out)),
                               .force = options.given.replace,
                               .can_resume = true,
                               .resume = options.resume,
                               .on_beginning = say,
                               .names = output_option_names};
  const MigratedFile migrated = migrate_file(migration, *input, target, file_progress);
  if (in_bytes) file_progress.finish();
  progress.finish();
  if (!in_bytes) warn_of_length(migration.candidates.list.front().plan, migrated.plain_bytes, options.messages.quiet);
  say_lost_attributes(options.out, migrated.lost_attributes, options.messages.quiet);
  return finish_one(options, migration, migrated, why_kept);
}

// Says what the containers are bound to. The name of a single one is that of OUT.
void bind(const MigrateOptions& options, const Binding& given, Migration& migration) {
  migration.container.binding = given;
  migration.container.binding_names = binding_option_names;
  migration.bind_names = options.binding.bind_name;
  if (!migration.bind_names || options.manifest || !given.name.empty() || !own_name_of(options.out).empty()) return;
  throw Error(ErrorCode::usage, "--bind-name needs a name, and OUT has none: give --name");
}

// `recipients` stay the caller's.
void make_container_of(const MigrateOptions& options, const Suite& suite, const RecipientSecrets& recipients,
                       Migration& migration) {
  migration.container.suite = &suite;
  migration.container.recipients = recipients.recipients;
  migration.container.identities = recipients.identities.list();
  migration.container.options = options.engine.library_options();
}

// Reads the manifest alone: no secret is asked for, and no file of the migration is looked at.
int report_migration(const MigrateOptions& options) {
  const ReportKind kind = report_kind_of(*options.report);
  const Manifest manifest(*options.manifest);
  ProtectedFiles needed;
  manifest.add_to(needed);
  Output output(*options.report,
                {.force = options.given.replace, .binary = false, .needed = &needed, .names = output_option_names});
  output.open();
  const ReportTotals totals = write_report(kind, manifest, *options.manifest, output);
  output.commit();
  print_note(fmt::format("{}: {}", *options.report, describe_totals(totals)), options.messages.quiet);
  return 0;
}

int run_migrate(const MigrateOptions& options) {
  check_migrate_options(options);
  if (options.report) return report_migration(options);
  refuse_unopened(options.container.secrets, options.resume, "--resume");
  refuse_unopened(options.container.secrets, options.given.delete_source, "--delete-source");
  refuse_unopened(options.container.secrets, options.verify_only, "--verify-only");
  RawOptions from = options.from;
  from.in = options.is_of_tree() ? "IN" : options.in;
  from.engine = options.engine;
  const Suite& suite = read_suite_name(options.container.cipher);
  const ProgressStyle style = style_of(options.messages);
  Migration migration;
  add_secret_files(from.secrets, migration.needed);
  add_secret_files(from.cms.private_key, migration.needed);
  add_secret_files(from.cms.certificate, migration.needed);
  add_secret_files(options.container.secrets, migration.needed);
  add_secret_files(options.index.key, migration.needed);
  migration.verify = !options.no_verify;
  migration.sha256 = options.given.sha256;
  migration.preserve = !options.no_preserve;
  const GivenBinding given(options.binding);
  bind(options, given.binding(), migration);
  if (options.describes_old()) migration.candidates = read_candidates(from);
  if (options.dry_run) return options.is_of_tree() ? dry_run_tree(migration, options) : dry_run_one(migration, options);
  const RecipientSecrets recipients =
      read_new_recipients(options.container.secrets, suite, options.container.cost, options.manifest.has_value());
  make_container_of(options, suite, recipients, migration);
  if (options.verify_only) {
    return options.manifest ? print_tree_verification(migration, options, style) : verify_one(migration, options, style);
  }
  if (migration.verify && !can_open(migration.container)) print_note(untried_recipients, options.messages.quiet);
  const ChosenEngine chosen = choose_engine(options.engine, use_calibration());
  return options.manifest ? print_tree_migration(migration, options, chosen, style)
                          : migrate_one(migration, options, chosen, style);
}

// Refuses any other option beside --report, since it would look as if it were done.
void refuse_beside_report(const CLI::App& command) {
  constexpr std::string_view taken[] = {"--report", "--manifest", "--force", "--quiet", "--verbose", "--progress"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->empty() || std::ranges::find(taken, name) != std::end(taken)) continue;
    throw Error(ErrorCode::usage, "--report reads the manifest and does nothing else: leave " + name + " out");
  }
}

}  // namespace

void add_migrate_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("migrate", "Make containers of old ciphertext, in one pass");
  set_examples(*command,
               "phalanx migrate --from-auto --from-cipher des3 --from-passphrase-file pass \\\n"
               "  --key-file key old.enc new.phalanx\n"
               "phalanx migrate --from-auto --from-cipher des3 --from-passphrase-file pass \\\n"
               "  --key-file key --manifest moved.jsonl --from-tree old --to-tree new");
  const auto options = std::make_shared<MigrateOptions>();
  add_migrate_options(*command, *options);
  command->callback([options, command, &run] {
    if (options->report) refuse_beside_report(*command);
    run = [options](RunExecutor* executor) {
      options->engine.executor = executor;
      return run_migrate(*options);
    };
  });
}

}  // namespace phalanx

#include "program/cli/migrate/options.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "files/system/file_descriptor.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/migrate/folder_line.hpp"
#include "program/cli/options/tree_options.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

constexpr int most_jobs = 256;

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

bool is_standard(const std::string& path, int number) {
  return path.empty() || path == "-" || inherited_descriptor(path) == number;
}

void add_tree_options(CLI::App& command, MigrateOptions& options) {
  const char* group = "Many files";
  mark_common(
      command.add_option("--manifest", options.manifest, "keeps each file's state; the same command again goes on from it")
          ->type_name("FILE")
          ->group(group));
  mark_common(
      command.add_option("--from-tree", options.from_tree, "the folder of the old files, and of all folders in it (.)")
          ->type_name("DIR")
          ->group(group));
  command.add_option("--from-list", options.from_list, "only those that FILE names, one a line, relative to --from-tree")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--null", options.null, "names in the list end with a zero byte, as find -print0 gives them")
      ->group(group);
  mark_common(
      command.add_option("--to-tree", options.to_tree, "the folder of the containers: each has its old name and .phalanx")
          ->type_name("DIR")
          ->group(group));
  command
      .add_option("--strip-suffix", options.given.strip_suffixes,
                  "take .des3 off old names first, so that x.des3 becomes x.phalanx; may be given for each of several")
      ->type_name("SUFFIX")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--report", options.report,
                  "write what --manifest says of each file as FILE.csv or FILE.html; nothing else")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--keep-going", options.given.keep_going, "try all files, even if most of them fail")->group(group);
  command.add_option("--jobs", options.num_jobs, "files at once (4, or as many as there are cores)")
      ->type_name("N")
      ->transform(whole_number(1, most_jobs))
      ->group(group);
}

}  // namespace

void add_migrate_options(CLI::App& command, MigrateOptions& options) {
  options.from.secrets.prefix = "from-";
  command.add_option("IN", options.in, "old ciphertext to read; - or nothing: standard input")->type_name("");
  add_output_argument(command, options.out, "container to write; - or nothing: standard output");
  add_force_option(command, options.given.replace);
  command.add_flag("--resume", options.resume, "go on with the OUT.phalanx-partial of a killed run");
  command.add_flag("--no-verify", options.no_verify, "do not read OUT back");
  command.add_flag("--sha256", options.given.sha256, "print the SHA-256 of each plaintext, which takes longer");
  command.add_flag("--delete-source", options.given.delete_source,
                   "remove each old file once its container is on the disk and read back, and its plaintext is sure");
  command.add_flag("--delete-doubtful", options.given.delete_doubtful,
                   "with --delete-source: also where the old key may have been a wrong one");
  command.add_flag("--delete-volatile", options.given.delete_volatile,
                   "with --delete-source: also where the containers lie in memory (tmpfs), which a restart empties");
  command.add_flag("--doubt-is-ok", options.doubt_is_ok, "end with 0, and not with 7, where nothing is wrong but doubtful");
  command.add_flag("--no-preserve", options.no_preserve,
                   "do not give containers the time, permissions, owner and attributes of the old files");
  mark_common(command.add_flag("--dry-run", options.dry_run,
                               "say what would be opened with what, and what would fail; write nothing"));
  command.add_flag("--verify-only", options.verify_only,
                   "read the containers of earlier runs, and compare them with the old files that are still there; write "
                   "nothing");
  add_container_options(command, options.container, options.messages);
  add_sealing_bindings(command, options.binding);
  add_bare_cipher_options(command, options.from, Direction::decrypt, options.messages);
  options.from.cms.private_key.prefix = "from-";
  add_cms_options(command, options.from.cms, options.messages);
  command.add_flag("--from-openpgp", options.from.openpgp.is_given, "each old file is a message of gpg, under a passphrase")
      ->group("Other formats");
  command.add_flag("--from-iv-prefix", options.from.iv_prefix, "each old file begins with its iv")
      ->group("The old ciphertext");
  mark_common(command
                  .add_flag("--from-auto", options.from.find_all,
                            "find digest, base64 and salt of each, and PBKDF2 with --from-pbkdf2")
                  ->group("Old files of `openssl enc`"));
  add_tree_options(command, options);
  add_index_writing_options(command, options.index, options.messages);
  add_engine_options(command, options.engine);
  mark_rare(command.get_option("--engine"));
  add_message_options(command, options.messages);
  command.add_flag("--json", options.json, "the result as JSON on standard output")->group("Messages");
}

namespace {

void check_read_only(const MigrateOptions& options) {
  if (!options.only_reads()) return;
  const std::string name = options.dry_run ? "--dry-run" : "--verify-only";
  const auto refuse = [&](bool given, const char* other) {
    if (given) throw_usage(name + " writes and removes nothing: leave " + other + " out");
  };
  refuse(options.dry_run && options.verify_only, "--verify-only");
  refuse(options.given.delete_source, "--delete-source");
  refuse(options.given.replace, "--force");
  refuse(options.resume, "--resume");
  refuse(options.index.path.has_value(), "--index");
  refuse(options.verify_only && options.no_verify, "--no-verify");
  const bool needs_out = options.verify_only && !options.manifest;
  if (needs_out && (is_standard(options.in, STDIN_FILENO) || is_standard(options.out, STDOUT_FILENO))) {
    throw_usage("--verify-only compares files: give IN and OUT, or --manifest");
  }
}

// A list whose descriptor a key has read to its end names no files, which looks like work that is done.
void check_list(const MigrateOptions& options, const std::optional<std::string>& list, const char* name) {
  if (!list) return;
  check_standard_input(options.from.secrets, *list, name);
  check_standard_input(options.container.secrets, *list, name);
}

void check_report(const MigrateOptions& options) {
  if (!options.manifest) throw_usage("--report tells of a manifest: give --manifest too");
}

void refuse_without_manifest(const MigrateOptions& options) {
  const auto refuse = [](bool given, const char* name) {
    if (given)
      throw_usage(std::string(name) + " is for many files: give --manifest FILE too, which keeps what became of each; " +
                  "--dry-run needs none");
  };
  refuse(options.from_tree.has_value(), "--from-tree");
  refuse(options.from_list.has_value(), "--from-list");
  refuse(options.to_tree.has_value(), "--to-tree");
  refuse(!options.given.strip_suffixes.empty(), "--strip-suffix");
  refuse(options.num_jobs.has_value(), "--jobs");
  refuse(options.given.keep_going, "--keep-going");
  refuse(options.index.path.has_value(), "--index");
}

}  // namespace

void check_migrate_options(const MigrateOptions& options) {
  const bool out_is_standard = is_standard(options.out, STDOUT_FILENO);
  if (options.given.delete_source && options.no_verify) {
    throw_usage("--delete-source removes what was verified only: leave --no-verify out");
  }
  if (options.report) return check_report(options);
  check_read_only(options);
  check_index_options(options.index, true);
  check_sealing_bindings(options.binding);
  if (options.is_of_tree()) refuse_name_of_tree(options.binding);
  refuse_folder_as_in(options);
  check_cms_options(options.from);
  const bool says_its_own = options.from.cms.is_given || options.from.openpgp.is_given;
  if (options.from.cipher.empty() && !says_its_own && (!options.verify_only || options.describes_old())) {
    throw_usage(
        "--from-cipher is required: the old cipher and mode, such as des-ede3-cbc, or des3 with --from-auto, or give "
        "--from-cms or --from-openpgp; see phalanx migrate --help");
  }
  if (options.null && !options.from_list) throw_usage("--null says how names end in the list of --from-list: give that too");
  if (options.given.delete_doubtful && !options.given.delete_source)
    throw_usage("--delete-doubtful goes with --delete-source only");
  if (options.given.delete_volatile && !options.given.delete_source)
    throw_usage("--delete-volatile goes with --delete-source only");
  if (options.is_of_tree()) {
    if (!options.in.empty() || !options.out.empty())
      throw_usage("many files take no IN and no OUT: give --from-tree and --to-tree, and --manifest");
    if (!options.to_tree && !options.dry_run) throw_usage("--manifest needs --to-tree, the folder for the containers");
    check_list(options, options.from_list, "--from-list");
    if (options.resume) throw_usage("--manifest always goes on where it was stopped: leave --resume out");
    return;
  }
  refuse_without_manifest(options);
  check_standard_input(options.from.secrets, options.in);
  check_standard_input(options.container.secrets, options.in);
  if (options.given.delete_source && is_standard(options.in, STDIN_FILENO))
    throw_usage("--delete-source needs an IN that is a file");
  if (options.dry_run) return;
  if (!options.no_verify && out_is_standard) {
    throw_usage("standard output cannot be read back: name a file as OUT, or give --no-verify");
  }
  if (options.json && out_is_standard) throw_usage("--json writes to standard output: name a file as OUT");
}

TreeMigrationSettings MigrateOptions::tree_options() const {
  TreeMigrationSettings tree{
      .from = from_tree.value_or("."), .to = to_tree.value_or(""), .manifest = manifest.value_or(""), .list = from_list};
  tree.null = null;
  tree.only_reads = only_reads();
  tree.options = given;
  tree.options.num_jobs = static_cast<std::size_t>(num_jobs.value_or(0));
  tree.usual_jobs = num_files_at_once(container.secrets, engine.executor);
  tree.executor = engine.executor;
  tree.names = {.to = "--to-tree", .jobs = "--jobs", .delete_volatile = "--delete-volatile", .output = output_option_names};
  return tree;
}

}  // namespace phalanx

#include "program/cli/options/tree_options.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <phalanx/error.hpp>
#include <system_error>

#include "engine/threads/threads.hpp"
#include "files/container/file/tree_run.hpp"
#include "program/cli/console/help_marks.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_at_once = 64;  // each has a few open files
constexpr std::size_t most_at_once_by_passphrase = 4;

bool takes_passphrase(const SecretSources& secrets) { return secrets.named.empty() || secrets.names_passphrase(); }

// Refuses a last name that is an empty folder or not there. It is meant to get the results, as cp and rsync have it.
void refuse_target_as_name(const std::vector<std::string>& names) {
  const auto is_folder = [](const std::string& name) {
    std::error_code error;
    return std::filesystem::is_directory(name, error);
  };
  if (names.size() < 2 || std::none_of(names.begin(), names.end() - 1, is_folder)) return;
  std::error_code error;
  const std::filesystem::path last = names.back();
  const bool is_there = std::filesystem::exists(std::filesystem::symlink_status(last, error));
  if (is_there && !(is_folder(last) && std::filesystem::is_empty(last, error))) return;
  throw Error(ErrorCode::usage, fmt::format("{} {}: the results go beside the files, or with --to-tree {} there",
                                            last.string(), is_there ? "is an empty folder" : "is not there", last.string()));
}

}  // namespace

TreeUpdate read_update(const std::string& update) {
  if (update.empty()) return TreeUpdate::none;
  if (update == "time") return TreeUpdate::by_time;
  if (update == "content") return TreeUpdate::by_content;
  throw Error(ErrorCode::usage, "--update compares the time, or the content with --update=content: give one of them");
}

CLI::Option* add_each_options(CLI::App& command, EachOptions& options, const std::string& description) {
  command.add_option("FILE", options.more, "with --each: more files and folders")->type_name("");
  CLI::Option* const each = mark_common(command.add_flag("--each", options.each, description))
                                ->excludes(command.get_option("--output"))
                                ->excludes(command.get_option("--resume"))
                                ->excludes(command.get_option("--bare"));
  mark_common(
      command
          .add_option("--to-tree", options.to_tree,
                      "with --each: put the results below DIR, in folders like those of IN; of several, each keeps its name")
          ->type_name("DIR"));
  command.add_flag("--no-keep", options.no_keep, "OUT gets neither the mode nor the time of IN");
  const bool is_taken = command.get_option_no_throw("-r") != nullptr;
  command.add_flag(is_taken ? "--recursive" : "-r,--recursive", options.recursive)->group("");
  return each;
}

void refuse_without_each(bool is_given, const char* option) {
  if (is_given) throw Error(ErrorCode::usage, fmt::format("{} goes with --each: give both", option));
}

void refuse_more_files(const EachOptions& options, const std::string& in, const std::string& command) {
  struct stat status {};
  const bool is_folder = !in.empty() && in != "-" && ::stat(in.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  if (is_folder) {
    const std::string as_one = command == "encrypt" ? fmt::format(", or `tar c {} | phalanx encrypt ...`", in) : "";
    throw Error(ErrorCode::usage, fmt::format("{} is a folder: give --each{}", in, as_one));
  }
  refuse_without_each(options.to_tree.has_value(), "--to-tree");
  if (options.recursive) {
    throw Error(ErrorCode::usage, "--recursive is not needed: --each takes folders with all that is in them; or tar one");
  }
  if (options.more.empty()) return;
  throw Error(ErrorCode::usage, "too many arguments: give IN and OUT, or --each for several files");
}

std::vector<std::string> names_of_each(const std::string& in, const std::string& out, const EachOptions& each) {
  std::vector<std::string> names{in, out};
  names.insert(names.end(), each.more.begin(), each.more.end());
  std::erase(names, "");
  if (names.empty()) throw Error(ErrorCode::usage, "--each needs files or folders: name them");
  if (std::ranges::find(names, "-") != names.end())
    throw Error(ErrorCode::usage, "--each takes files, and - is none: leave it out");
  if (!each.to_tree) refuse_target_as_name(names);
  return names;
}

OutputSettingNames names_beside(const std::string& out, bool of_containers) {
  struct stat status {};
  if (::stat(out.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return output_option_names;
  try {
    Input there(open_file(out, O_RDONLY | O_NONBLOCK), out);
    if (begins_as_container(there) == of_containers) return output_option_names_with_each;
  } catch (const Error&) {
    // nothing is known of a file that cannot be read
  }
  return output_option_names;
}

std::size_t num_files_at_once(const SecretSources& secrets, const RunExecutor* executor) {
  if (executor == nullptr) return 1;
  return takes_passphrase(secrets) ? most_at_once_by_passphrase : std::min(2 * executor->num_workers(), most_at_once);
}

FilesAtOnce::FilesAtOnce(const SecretSources& secrets, const RunOptions& engine, std::size_t num_files)
    : at_once_(num_files_at_once(secrets, engine.executor)), executor_(engine.executor) {
  if (executor_ != nullptr) return;
  const auto num_processors = static_cast<std::size_t>(thread_count(engine.num_threads));
  const std::size_t num_working =
      takes_passphrase(secrets) ? std::min(num_processors, most_at_once_by_passphrase) : num_processors;
  shared_.emplace(num_working, num_files);
}

TreeRunning FilesAtOnce::running() {
  return {.at_once = at_once_, .executor = executor_, .shared = shared_ ? &*shared_ : nullptr};
}

void add_tree_options(CLI::App& command, TreeOptions& options) {
  mark_common(command.add_flag(
      "--update{time}", options.update,
      "with --each: seal only what has another size or time than its container; =content opens and compares"));
  command.add_flag("--update-recipients", options.sealing.update_recipients,
                   "with --update: give containers of earlier runs the recipients that are given now, and no others");
  mark_common(command.add_flag("--prune", options.sealing.prune,
                               "with --each FOLDER --to-tree: remove containers whose files are gone"));
  command
      .add_option("--prune-also", options.prune_also,
                  "with --prune: what is kept otherwise: emptied (folders of which nothing is left), unrecorded, mount:NAME")
      ->type_name("WHAT");
  command.add_flag("--renew-tree", options.sealing.renew_tree,
                   "with --each FOLDER --to-tree: FOLDER is the one of before, restored or moved");
  command.add_flag("--expect-tree", options.sealing.expect_tree,
                   "with --each FOLDER --to-tree: end where DIR has no record of earlier runs: its disk may be missing");
  mark_common(command.add_flag("--dry-run", options.sealing.dry_run,
                               "with --each FOLDER --to-tree: say what would be done; write nothing"));
}

void refuse_tree_options(const TreeOptions& options) {
  refuse_without_each(!options.update.empty(), "--update");
  refuse_without_each(options.sealing.update_recipients, "--update-recipients");
  refuse_without_each(options.sealing.prune, "--prune");
  refuse_without_each(!options.prune_also.empty(), "--prune-also");
  refuse_without_each(options.sealing.renew_tree, "--renew-tree");
  refuse_without_each(options.sealing.expect_tree, "--expect-tree");
  refuse_without_each(options.sealing.dry_run, "--dry-run");
}

SealTreeOptions TreeOptions::seal_options() const {
  SealTreeOptions options = sealing;
  options.update = read_update(update);
  options.prune_also = prune_also;
  return options;
}

}  // namespace phalanx

#include "cli/options/many_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/console/exit_codes.hpp"
#include "cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_at_once = 64;  // each has a few open files
constexpr std::size_t most_at_once_by_passphrase = 4;

// As cp and rsync have it: what comes last, and is an empty folder or not there, is meant to get the results.
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

CLI::Option* add_each_options(CLI::App& command, EachOptions& options, const std::string& description) {
  command.add_option("FILE", options.more, "with --each: more files and folders")->type_name("");
  CLI::Option* const each = command.add_flag("--each", options.each, description)
                                ->excludes(command.get_option("--output"))
                                ->excludes(command.get_option("--resume"))
                                ->excludes(command.get_option("--bare"));
  command.add_option("--to-tree", options.to_tree, "with --each: put what comes out below DIR, in folders like those of IN")
      ->type_name("DIR");
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
    // then nothing is known of it
  }
  return output_option_names;
}

std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place) {
  if (place == nullptr) return 1;
  const bool by_passphrase = secrets.named.empty() || secrets.names_passphrase();
  return by_passphrase ? most_at_once_by_passphrase : std::min(2 * place->num_workers(), most_at_once);
}

std::uint64_t FailureCount::total() const {
  std::uint64_t sum = 0;
  for (const auto& [code, number] : by_code_) sum += number;
  return sum;
}

int FailureCount::exit_code() const {
  if (by_code_.empty()) return 0;
  return by_code_.size() == 1 ? by_code_.begin()->first : exit_code_of(ErrorCode::runtime);
}

OnTreeFile say_each(bool quiet, bool dry_run) {
  return [quiet, dry_run](const TreeFile& file) {
    if (file.outcome == TreeOutcome::done && dry_run) print_note(file.path + ": would be encrypted", quiet);
    if (file.outcome == TreeOutcome::failed) print_error(file.path + ": " + file.why);
    if (file.outcome == TreeOutcome::skipped) print_note(file.path + ": skipped: " + file.why, quiet);
    if (file.outcome == TreeOutcome::removed)
      print_note(file.path + (dry_run ? ": would be removed" : ": removed") + ": its file is gone", quiet);
    if (file.outcome == TreeOutcome::kept) print_error(file.path + ": kept: " + file.why);
    if (file.outcome == TreeOutcome::unfinished) print_error(file.path + ": unfinished: " + file.why);
  };
}

int say_all(const TreeCounts& counts, const char* done, bool updates, bool quiet, bool dry_run) {
  FailureCount failures;
  for (const auto& [code, number] : counts.failed_codes) failures.add(exit_code_of(code), number);
  std::string line = fmt::format("{} {}, ", counts.num_done, done);
  if (updates) line += fmt::format("{} unchanged, ", counts.num_unchanged);
  line += fmt::format("{} failed, {} skipped", counts.num_failed, counts.num_skipped);
  if (counts.num_removed != 0) line += fmt::format(", {} {}", counts.num_removed, dry_run ? "to remove" : "removed");
  if (counts.num_gone != 0) line += fmt::format(", {} kept whose files are gone", counts.num_gone);
  if (counts.num_unfinished != 0) line += fmt::format(", {} unfinished", counts.num_unfinished);
  if (!counts.why_not_removed.empty()) print_error("nothing was removed: " + counts.why_not_removed);
  if (!counts.why_other_wish.empty()) print_error(counts.why_other_wish);
  if (counts.time_step != 0) {
    print_note(
        fmt::format("times are kept there in steps of {} s: a file that is changed within one and keeps its size counts as "
                    "unchanged; --update=content compares",
                    static_cast<double>(counts.time_step) / 1e9),
        quiet);
  }
  print_note(line, quiet);
  const int exit_code = failures.exit_code();
  if (exit_code != 0) return exit_code;
  if (!counts.why_not_removed.empty()) return exit_code_of(ErrorCode::usage);
  const std::uint64_t num_other_wishes = counts.why_other_wish.empty() ? 0 : 1;
  return exit_code_with_doubts(0, counts.num_newly_kept + counts.num_unfinished + num_other_wishes, false);
}

void ManyReport::tell(const std::string& path, const FileOutcome& outcome) {
  if (outcome.failed) {
    failures_.add(exit_code_of(outcome.code));
    const bool is_alike = !has_secrets_ && outcome.code == ErrorCode::usage && !said_.insert(outcome.why).second;
    num_alike_ += is_alike ? 1 : 0;
    if (!is_alike || messages_.verbose) print_error(path + ": " + outcome.why);
    return;
  }
  if (outcome.why.empty()) {
    ++num_done_;
    return;
  }
  ++num_skipped_;
  const bool is_none = outcome.why == no_container;
  num_no_containers_ += is_none ? 1 : 0;
  print_note(path + ": skipped: " + outcome.why, messages_.quiet || (is_none && !messages_.verbose));
}

int ManyReport::finish() {
  if (num_alike_ != 0 && !messages_.verbose) print_error(fmt::format("{} more: the same", num_alike_));
  std::string line = fmt::format("{} {}, {} failed, {} skipped", num_done_, done_, failures_.total(), num_skipped_);
  if (num_no_containers_ != 0) line += fmt::format(" (no containers: {})", num_no_containers_);
  print_note(line, messages_.quiet);
  return failures_.exit_code();
}

int run_many(const ManyFiles& files, const FileWork& work, ManyReport& report, std::size_t at_once, RunPlace* place) {
  const auto tell = [&](const FileOfMany& file, const FileOutcome& outcome) {
    if (outcome.why != no_container || !is_tree_record(file)) report.tell(file.path, outcome);
  };
  files.run(work, at_once, tell, nullptr, place);
  return report.finish();
}

}  // namespace phalanx

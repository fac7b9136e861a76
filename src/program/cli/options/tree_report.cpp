#include "program/cli/options/tree_report.hpp"

#include <fmt/format.h>

#include "program/cli/console/messages.hpp"

namespace phalanx {

OnTreeFileResult say_each(bool quiet, bool dry_run) {
  return [quiet, dry_run](const TreeFileResult& file) {
    if (file.outcome == TreeFileAs::done && dry_run) print_note(file.path + ": would be encrypted", quiet);
    if (file.outcome == TreeFileAs::failed) print_error(about_file(file.path, file.why));
    if (file.outcome == TreeFileAs::skipped) print_note(file.path + ": skipped: " + file.why, quiet);
    if (file.outcome == TreeFileAs::removed)
      print_note(file.path + (dry_run ? ": would be removed" : ": removed") + ": its file is gone", quiet);
    if (file.outcome == TreeFileAs::kept) print_error(file.path + ": kept: " + file.why);
    if (file.outcome == TreeFileAs::unfinished) print_error(file.path + ": unfinished: " + file.why);
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

void TreeReport::tell(const std::string& path, const FileOutcome& outcome) {
  if (outcome.failed) {
    failures_.add(exit_code_of(outcome.code));
    const bool is_alike = !has_secrets_ && outcome.code == ErrorCode::usage && !said_.insert(outcome.why).second;
    num_alike_ += is_alike ? 1 : 0;
    if (!is_alike || messages_.verbose) print_error(about_file(path, outcome.why));
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

int TreeReport::finish() {
  if (num_alike_ != 0 && !messages_.verbose) print_error(fmt::format("{} more: the same", num_alike_));
  std::string line = fmt::format("{} {}, {} failed, {} skipped", num_done_, done_, failures_.total(), num_skipped_);
  if (num_no_containers_ != 0) line += fmt::format(" (no containers: {})", num_no_containers_);
  print_note(line, messages_.quiet);
  return failures_.exit_code();
}

int report_tree(const TreeListing& files, const FileWork& work, TreeReport& report, const TreeRunning& how) {
  const auto tell = [&](const ListedFile& file, const FileOutcome& outcome) {
    if (outcome.why != no_container || !is_tree_record(file)) report.tell(file.path, outcome);
  };
  run_tree(files, work, tell, how);
  return report.finish();
}

}  // namespace phalanx

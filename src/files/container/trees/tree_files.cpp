#include "files/container/trees/tree_files.hpp"

#include <algorithm>
#include <optional>

namespace phalanx {

namespace {

void add_reason(std::string& reasons, const std::string& more, const std::string& folder) {
  if (!more.empty()) reasons += (reasons.empty() ? "" : "; ") + folder + ": " + more;
}

}  // namespace

void add_counts(TreeCounts& sum, const TreeCounts& more, const std::string& folder) {
  sum.num_done += more.num_done;
  sum.num_unchanged += more.num_unchanged;
  sum.num_skipped += more.num_skipped;
  sum.num_failed += more.num_failed;
  sum.num_gone += more.num_gone;
  sum.num_removed += more.num_removed;
  sum.num_newly_kept += more.num_newly_kept;
  sum.num_unfinished += more.num_unfinished;
  for (const auto& [code, number] : more.failed_codes) sum.failed_codes[code] += number;
  sum.time_step = std::max(sum.time_step, more.time_step);
  add_reason(sum.why_not_removed, more.why_not_removed, folder);
  add_reason(sum.why_other_wish, more.why_other_wish, folder);
}

void require_times(TreeUpdate update, bool keep, const EachSettingNames& names) {
  if (update != TreeUpdate::by_time || keep) return;
  throw Error(ErrorCode::usage, std::string(names.update) + " compares the times that " + names.keep +
                                    " leaves out: give one of them, or " + names.by_content);
}

void TreeTally::note(const ListedFile& file, Note note) {
  const std::lock_guard lock(mutex_);
  noted_[&file] = note;
}

void TreeTally::note_unfinished(const std::string& path, const std::string& why) {
  const std::lock_guard lock(mutex_);
  unfinished_.emplace_back(path, why);
}

void TreeTally::tell(const ListedFile& file, const FileOutcome& outcome) {
  if (outcome.failed) return tell_failure(file.path, Error(outcome.code, outcome.why));
  std::optional<Note> note;
  {
    const std::lock_guard lock(mutex_);
    const auto noted = noted_.find(&file);
    if (noted != noted_.end()) note = noted->second;
  }
  if (note == Note::unfinished) {
    ++counts_.num_unfinished;
    return on_file_({.path = file.path, .outcome = TreeFileAs::unfinished, .why = outcome.why});
  }
  if (note) {
    counts_.num_unchanged += note == Note::unchanged ? 1 : 0;
    return;
  }
  const bool skipped = !outcome.why.empty();
  ++(skipped ? counts_.num_skipped : counts_.num_done);
  on_file_({.path = file.path, .outcome = skipped ? TreeFileAs::skipped : TreeFileAs::done, .why = outcome.why});
}

void TreeTally::tell_failure(const std::string& path, const Error& error) {
  ++counts_.num_failed;
  ++counts_.failed_codes[error.code()];
  on_file_({.path = path, .outcome = TreeFileAs::failed, .code = error.code(), .why = error.what()});
}

void TreeTally::tell_unfinished() {
  for (const auto& [path, why] : unfinished_) on_file_({.path = path, .outcome = TreeFileAs::unfinished, .why = why});
  counts_.num_unfinished += unfinished_.size();
  unfinished_.clear();
}

void TreeTally::tell_removed(const std::string& path) {
  ++counts_.num_removed;
  on_file_({.path = path, .outcome = TreeFileAs::removed});
}

void TreeTally::tell_kept(const std::string& path, const std::string& why, std::uint64_t number) {
  counts_.num_newly_kept += number;
  on_file_({.path = path, .outcome = TreeFileAs::kept, .why = why});
}

TreeCounts take_tree(const TreeListing& files, TreeFolders& folders, const TreeProgress& how, const TreeWork& work,
                     const std::function<void(TreeTally&)>& end) {
  TreeTally tally(how.on_file);
  folders.make_all([&](const std::string& path, const Error& error) { tally.tell_failure(path, error); });
  const auto take = [&](Input& input, const ListedFile& file) { return work(input, file, tally); };
  const auto tell = [&](const ListedFile& file, const FileOutcome& outcome) { tally.tell(file, outcome); };
  run_tree(files, take, tell, how.running);
  tally.tell_unfinished();
  if (end && (how.running.cancellation == nullptr || !how.running.cancellation->is_cancelled())) end(tally);
  tally.tell_unfinished();
  folders.finish();
  return tally.counts();
}

}  // namespace phalanx

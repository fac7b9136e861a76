// This takes the files of a run over many, whichever way they go, and tells their results.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <phalanx/files/trees.hpp>
#include <string>
#include <utility>
#include <vector>

#include "files/container/file/tree_run.hpp"
#include "files/container/results/tree_folders.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

struct TreeCounts {
  std::uint64_t num_done = 0;
  std::uint64_t num_unchanged = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_failed = 0;
  std::uint64_t num_gone = 0;        ///< containers that stay, though their files are gone
  std::uint64_t num_removed = 0;     ///< such containers that were removed
  std::uint64_t num_newly_kept = 0;  ///< such containers that stay, and were told for the first time
  std::uint64_t num_unfinished = 0;
  std::map<ErrorCode, std::uint64_t> failed_codes{};
  /// This is the step of the times of results in nanoseconds, where they are coarser than those of their files, else 0.
  std::int64_t time_step = 0;
  std::string why_not_removed{};  ///< why none was removed, though the options ask for it, in a line
  std::string why_other_wish{};   ///< containers are, or may be, for others than the options ask for: in a line
};

/// Adds the counts of another source. Its reasons get `folder`, that of its results, in front.
void add_counts(TreeCounts& sum, const TreeCounts& more, const std::string& folder);

/// Names these settings as the caller does, for messages.
struct EachSettingNames {
  const char* to = "`to`";
  const char* update = "`update`";
  const char* by_content = "`update` by content";
  const char* keep = "`keep`";
  const char* prune = "`prune`";
  const char* update_recipients = "`update_recipients`";
  const char* prune_also = "`prune_also`";
  const char* renew_tree = "`renew_tree`";
  const char* expect_tree = "`expect_tree`";
  const char* dry_run = "`dry_run`";
  const char* changing_input = "`changing_input`";
  const char* index = "`index`";
  OutputSettingNames output{};
};

/// Throws Error (usage) where results are compared by times that the run does not give them.
void require_times(TreeUpdate update, bool keep, const EachSettingNames& names);

/// Says how a run goes on. All stay the caller's.
struct TreeProgress {
  Progress& progress;
  const OnTreeFileResult& on_file;
  TreeRunning running{};
};

/// Tells and counts the results. Any number of threads may note, one at a time tells.
class TreeTally {
 public:
  explicit TreeTally(const OnTreeFileResult& on_file) : on_file_(on_file) {}

  /// These keep the file's result from being told: it is unchanged, or counts for nothing.
  void note_unchanged(const ListedFile& file) { note(file, Note::unchanged); }
  void note_ignored(const ListedFile& file) { note(file, Note::ignored); }

  /// Notes that this file, which is skipped, is one that a stopped run has left half done.
  void note_unfinished(const ListedFile& file) { note(file, Note::unfinished); }

  /// Notes another half-done file, of which nothing else is told.
  void note_unfinished(const std::string& path, const std::string& why);

  void tell(const ListedFile& file, const FileOutcome& outcome);
  void tell_failure(const std::string& path, const Error& error);
  void tell_unfinished();  ///< tells half-done files that nothing else was told of
  void tell_removed(const std::string& path);
  void tell_kept(const std::string& path, const std::string& why, std::uint64_t number);

  [[nodiscard]] TreeCounts& counts() { return counts_; }

 private:
  enum class Note : unsigned char { unchanged, ignored, unfinished };
  void note(const ListedFile& file, Note note);

  const OnTreeFileResult& on_file_;
  std::mutex mutex_;
  std::map<const ListedFile*, Note> noted_;
  std::vector<std::pair<std::string, std::string>> unfinished_;  // path, and why
  TreeCounts counts_;
};

/// Takes one of the files, or returns why it is skipped. Throws Error where the file fails.
using TreeWork = std::function<std::string(Input& input, const ListedFile& file, TreeTally& tally)>;

/// Makes the folders, takes all files, ends with `end` unless it is cancelled, and finishes the folders. Returns the counts.
[[nodiscard]] TreeCounts take_tree(const TreeListing& files, TreeFolders& folders, const TreeProgress& how,
                                   const TreeWork& work, const std::function<void(TreeTally&)>& end = {});

}  // namespace phalanx

#include "container/trees/pruning.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <set>

#include "container/file/header_exchange.hpp"
#include "container/trees/found_file.hpp"
#include "container/trees/tree_mark.hpp"

namespace phalanx {
Pruning::Pruning(const ManyFiles& files, const ResultPlaces& places, const FolderCopies& folders, const MadeResults& made)
    : files_(files),
      places_(places),
      from_(*files.folders().front().folder),
      to_(*places.to()),
      folders_(folders),
      made_(made) {
  find();
}

// One that this run has made or found right stays whatever its name seems to be: on a file system that takes upper and lower
// case for the same, that may be spelled as another file was.
void Pruning::find() {
  std::set<std::string> names;
  for (const FileOfMany& file : files_.files()) names.insert(file.name_in_folder);
  std::vector<TreeFolder> folders;
  for (const TreeEntry& entry : list_tree(to_, &folders)) {
    if (entry.failed) throw Error(ErrorCode::runtime, to_.path_of(entry.name) + ": " + entry.why_not);
    const std::optional<std::string> file = entry.is_regular ? without_container_suffix(entry.name) : std::nullopt;
    if (!file || names.contains(*file) || made_.contains(entry.identity)) continue;
    const std::optional<FoundFile> found = find_file(places_.at(entry.name));
    if (found && found->container) gone_.push_back({entry.name, *file, found->stamp()});
  }
  for (const TreeFolder& folder : folders) {
    if (!folders_.contains(folder.name)) gone_folders_.push_back(folder.name);
  }
}

std::string Pruning::why_not(const TreeCounts& counts, const std::string& of_mark) const {
  if (counts.num_failed != 0) return "not all files could be sealed, and what is gone may be one of them under another name";
  if (made_.is_empty()) return "nothing was read in " + from_.path_of("");
  return of_mark;
}

// The mark is written where a run has read something, so that an empty folder is never the one that counts.
void Pruning::run(bool removes, TreeTally& tally) {
  TreeCounts& counts = tally.counts();
  const TreeMark mark(files_.folders().front());
  const std::string why = removes ? why_not(counts, mark.why_not(to_)) : "";
  const bool has_gone = !gone_.empty() || !gone_folders_.empty();
  if (!made_.is_empty() && counts.num_failed == 0) mark.write(to_, removes && why.empty());
  if (removes && why.empty()) remove_all(tally);
  if (removes && !why.empty() && has_gone) counts.why_not_removed = why;
  counts.num_gone = gone_.size() - counts.num_removed;
}

// Right before its container goes: what was saved under its name since it was listed is there again.
void Pruning::require_gone(const std::string& name) const {
  if (!from_.look_at(name)) return;
  throw KeptFile(from_.path_of(name) + " is there again: its container stays");
}

void Pruning::remove_all(TreeTally& tally) {
  OwnRemovals removals;
  for (const Gone& gone : gone_) {
    try {
      to_.remove(
          gone.container, gone.stamp, [&] { require_gone(gone.file); }, removals);
      if (index_ != nullptr) index_->remove(gone.container);
      tally.tell_removed(to_.path_of(gone.container));
      remove_stale_exchange(to_.path_of(gone.container));
    } catch (const KeptFile&) {
      // It counts as one that stays.
    } catch (const Error& error) {
      tally.tell_failure(to_.path_of(gone.container), error);
    }
  }
  remove_folders();
}

// What is not empty stays, and whoever put something there meanwhile keeps it.
void Pruning::remove_folders() const {
  for (auto name = gone_folders_.rbegin(); name != gone_folders_.rend(); ++name) {
    try {
      if (from_.look_at(*name)) continue;
      const FileDescriptor parent = to_.open(parent_name_of(*name), O_PATH | O_DIRECTORY);
      static_cast<void>(unlinkat(parent.get(), last_name_of(*name).c_str(), AT_REMOVEDIR));
    } catch (const Error&) {
      // It stays.
    }
  }
}

}  // namespace phalanx

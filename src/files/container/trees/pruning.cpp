#include "files/container/trees/pruning.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "files/container/file/header_rewrite.hpp"
#include "files/container/trees/kept_orphans.hpp"

namespace phalanx {

Pruning::Pruning(const Run& run, const PruneSettings& settings)
    : run_(run), settings_(settings), record_(*run.places.to()), contents_(run.files, run.places, run.made, run.found) {}

void Pruning::run(TreeTally& tally) {
  TreeCounts& counts = tally.counts();
  enter_section();
  std::optional<SectionUpdate> update;
  std::optional<FolderSameness> known;
  if (section_ != nullptr) {
    update.emplace(record_, *section_, contents_, run_.begun).take_files(run_.found);
    known.emplace(*section_, FolderSameness::Now{contents_.folders, contents_.found}, settings_.also);
  }
  const FolderSameness* const sameness = known ? &*known : nullptr;
  judge_all(sameness);
  const std::string why = why_not(counts);
  if (settings_.removes && why.empty()) {
    if (sameness != nullptr && std::ranges::any_of(contents_.orphans, &Orphan::is_to_go)) look_again(*sameness);
    remove_all(sameness, tally);
  }
  if (settings_.removes && !why.empty() && !contents_.orphans.empty()) counts.why_not_removed = why;
  if (why.empty()) tell_kept(tally);
  if (update) update_section(*sameness, *update, why.empty(), counts);
  const auto is_ours = [](const Orphan& orphan) { return orphan.finding.kept != KeptAs::of_another_record; };
  counts.num_gone = static_cast<std::uint64_t>(std::ranges::count_if(contents_.orphans, is_ours)) - counts.num_removed;
}

// An empty folder, or another one, leaves no section behind: a disk may be missing there.
void Pruning::enter_section() {
  std::error_code error;
  const std::string path = std::filesystem::absolute(contents_.from.path_of(""), error).lexically_normal().string();
  const LastingIdentity& identity = contents_.folders.front().identity;
  if (settings_.renews) record_.renew(identity, path);
  if (record_.find(identity) == nullptr && contents_.found.empty()) return;
  section_ = &record_.enter(identity, path);
}

// Without --prune only containers that would be in the way of a restore are told. That the others stay is the default.
void Pruning::judge_all(const FolderSameness* sameness) {
  for (Orphan& orphan : contents_.orphans) orphan.finding = judge(orphan, sameness);
  if (settings_.removes || sameness == nullptr) return;
  for (Orphan& orphan : contents_.orphans) {
    const std::string replacement = sameness->replacement_of(orphan.file);
    orphan.finding = {.kept = replacement.empty() ? KeptAs::not_kept : KeptAs::in_the_way, .folder = replacement};
  }
}

// Somebody may have put another container in the place of ours. A container may be longer than its file was when it was
// opened: the file grew while it was sealed, and the next run did not find it any more.
bool Pruning::is_as_recorded(const Orphan& orphan, const RecordedFile& file) const {
  const std::uint64_t bytes = orphan.found.container->plain_bytes;
  if (!run_.keeps_times) return bytes == file.source.bytes;
  return bytes >= file.source.bytes &&
         run_.times.has_time(orphan.found, file.source.modified, run_.places.at(orphan.container));
}

// Without a section there is nothing that a run of this folder is known to have made.
FolderSameness::Finding Pruning::judge(const Orphan& orphan, const FolderSameness* sameness) const {
  const std::string folder = parent_name_of(orphan.container);
  const std::string wall = contents_.wall_above(orphan.container);
  if (!wall.empty()) return {.kept = KeptAs::of_another_record, .folder = wall};
  if (contents_.skipped.contains(orphan.file)) return {.kept = KeptAs::not_a_file, .folder = folder};
  if (section_ != nullptr) {
    const auto file = section_->files.find(orphan.file);
    if (file != section_->files.end() && is_as_recorded(orphan, file->second)) {
      if (contents_.unsealed.contains(file->second.source.file.inode))
        return {.kept = KeptAs::under_another_name, .folder = folder};
      return sameness->judge(orphan.file, file->second);
    }
  }
  for (const TreeSection& section : record_.sections()) {
    if (&section != section_ && section.files.contains(orphan.file)) {
      return {.kept = KeptAs::of_another_folder, .folder = section.path};
    }
  }
  const bool goes = settings_.also.unrecorded && section_ != nullptr;
  return {.kept = goes ? KeptAs::not_kept : KeptAs::unrecorded, .folder = folder};
}

std::string Pruning::why_not(const TreeCounts& counts) const {
  if (counts.num_failed != 0) return "not all files could be sealed, and what is gone may be one of them under another name";
  if (record_.is_earlier()) {
    return record_.path() +
           " is of an earlier version, which does not say what was made here: it is written anew, for the next run";
  }
  return "";
}

// A file that was moved while the files were listed is missing in the list: it is there under a name that this run does not
// know.
void Pruning::look_again(const FolderSameness& sameness) {
  Names there;
  for (const TreeEntry& entry : list_tree(contents_.from)) {
    there.insert(entry.name);
    if (entry.is_regular && !contents_.found.contains(entry.name)) contents_.unsealed.insert(entry.identity.inode);
  }
  for (Orphan& orphan : contents_.orphans) {
    const bool came_back = there.contains(orphan.file);  // and stays
    if (orphan.is_to_go() && !came_back) orphan.finding = judge(orphan, &sameness);
  }
}

// This check comes right before the container goes: a file may have been saved under its name since the list was made.
void Pruning::require_gone(const std::string& name) const {
  const std::optional<struct stat> now = contents_.from.look_at(name);
  if (!now || S_ISDIR(now->st_mode)) return;
  throw KeptFile(contents_.from.path_of(name) + " is there again: its container stays");
}

void Pruning::remove(const Orphan& orphan, TreeTally& tally, OwnRemovals& removals) {
  FileDescriptor container;
  if (settings_.writes) {
    container =
        contents_.to.open(orphan.container, O_RDONLY | O_NONBLOCK);  // links of it elsewhere may need what stands beside it
    contents_.to.remove(
        orphan.container, orphan.found.stamp(), [&] { require_gone(orphan.file); }, removals);
    if (index_ != nullptr) index_->remove(below_ + orphan.container);
    contents_.containers.erase(orphan.container);
    for (std::string folder = parent_name_of(orphan.file); !folder.empty(); folder = parent_name_of(folder)) {
      emptied_.insert(folder);
    }
    if (section_ != nullptr) record_.remove_file(orphan.file);
  }
  tally.tell_removed(contents_.to.path_of(orphan.container));
  const std::string path = contents_.to.path_of(orphan.container);
  if (settings_.writes && remove_stale_rewrite(path, container.get())) {
    tally.note_unfinished(path + header_suffix, needed_by_other_links);
  }
}

void Pruning::remove_all(const FolderSameness* sameness, TreeTally& tally) {
  OwnRemovals removals;
  for (const Orphan& orphan : contents_.orphans) {
    if (!orphan.is_to_go()) continue;
    try {
      remove(orphan, tally, removals);
    } catch (const KeptFile&) {
      // The container counts as one that stays.
    } catch (const Error& error) {
      tally.tell_failure(contents_.to.path_of(orphan.container), error);
    }
  }
  if (settings_.writes && sameness != nullptr) remove_folders(*sameness);
}

// Only folders that a run of this folder has made are removed. A folder that is not empty stays, so that a file that was put
// there meanwhile is kept.
void Pruning::remove_folders(const FolderSameness& sameness) {
  const Names recorded = section_->subfolders;
  for (auto name = recorded.rbegin(); name != recorded.rend(); ++name) {
    if (!contents_.target_folders.contains(*name) || contents_.walls.contains(*name) || !contents_.wall_above(*name).empty())
      continue;
    const bool is_gone = sameness.judge(*name, record_.run_number()).kept == KeptAs::not_kept;
    if (!is_gone && !emptied_.contains(*name)) continue;
    try {
      const std::optional<struct stat> now = contents_.from.look_at(*name);
      if (now && S_ISDIR(now->st_mode)) continue;
      const FileDescriptor parent = contents_.to.open(parent_name_of(*name), O_PATH | O_DIRECTORY);
      if (unlinkat(parent.get(), last_name_of(*name).c_str(), AT_REMOVEDIR) == 0) contents_.target_folders.erase(*name);
    } catch (const Error&) {
      // The folder stays.
    }
  }
}

void Pruning::tell_kept(TreeTally& tally) {
  const KeptOrphans orphans(contents_, section_, run_.names, {.removes = settings_.removes, .writes = settings_.writes});
  const Names told = orphans.tell(tally);
  if (section_ != nullptr) record_.put_told(told);
}

// Missing files are forgotten only where no file failed: one that failed may be a missing one under another name.
void Pruning::update_section(const FolderSameness& sameness, SectionUpdate& update, bool may_forget, TreeCounts& counts) {
  if (may_forget && index_ != nullptr && settings_.removes && settings_.writes) {
    index_->forget_missing([&](const std::string& indexed) {
      if (!indexed.starts_with(below_)) return true;  // that of another source
      const std::string name = indexed.substr(below_.size());
      return contents_.to.look_at(name).has_value() || !update.is_gone(sameness, name);
    });
  }
  if (may_forget) update.forget_gone(sameness);
  update.take_mounts(sameness, settings_.also.mounts);
  update.take_subfolders();
  update.take_latest();
  take_wish(counts);
  if (settings_.writes) record_.write();
}

// A container stays for other recipients, too, where its file was skipped or failed.
void Pruning::take_wish(TreeCounts& counts) {
  for (const auto& [name, file] : section_->files) {
    const std::string container = name + container_suffix;
    if (!contents_.left.contains(container) || !contents_.containers.contains(container)) continue;
    if (contents_.wall_above(container).empty()) settings_.on_kept(container, name);
  }
  const std::string wish = settings_.wish(counts);
  if (!wish.empty()) record_.put_wish(wish);
}

}  // namespace phalanx

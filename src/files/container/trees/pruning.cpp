#include "files/container/trees/pruning.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "files/container/file/header_rewrite.hpp"

namespace phalanx {
namespace {

// Whether one of the folders is a folder on the way to this name; the folder then.
std::string folder_above(const std::string& name, const Names& folders) {
  for (std::string folder = parent_name_of(name); !folder.empty(); folder = parent_name_of(folder)) {
    if (folders.contains(folder)) return folder;
  }
  return "";
}

std::string count_containers(std::size_t number) {
  return number == 1 ? "1 container" : std::to_string(number) + " containers";
}

}  // namespace

void FoundSources::add(const std::string& name, const struct stat& status, int descriptor) {
  const RecordedSource source{.bytes = static_cast<std::uint64_t>(status.st_size),
                              .modified = status.st_mtim,
                              .file = lasting_identity_of(descriptor, name)};
  const std::lock_guard lock(mutex_);
  sources_[name] = source;
}

Pruning::Pruning(const Run& run, const PruneSettings& settings)
    : run_(run),
      settings_(settings),
      from_(*run.files.folders().front().folder),
      to_(*run.places.to()),
      folders_(run.files.folders().front().folders),
      record_(to_) {
  list_source();
  list_target();
}

void Pruning::list_source() {
  for (const ListedFile& file : run_.files.files()) {
    others_.insert(file.name);
    if (!file.why_not.empty() && !file.failed) skipped_.insert(file.name);
  }
  for (const auto& [name, source] : run_.found.all()) found_.insert(name);
  for (const std::string& name : others_) {
    const std::optional<struct stat> status = found_.contains(name) ? std::nullopt : from_.look_at(name);
    if (status && S_ISREG(status->st_mode)) unsealed_.insert(status->st_ino);
  }
}

// One that this run has made or found right stays whatever its name seems to be: on a file system that takes upper and lower
// case for the same, that may be spelled as another file was.
void Pruning::list_target() {
  std::vector<TreeFolder> folders;
  const std::vector<TreeEntry> entries = list_tree(to_, &folders);
  for (const TreeEntry& entry : entries) {
    if (entry.failed) throw Error(ErrorCode::runtime, to_.path_of(entry.name) + ": " + entry.why_not);
    const std::string folder = parent_name_of(entry.name);
    if (!folder.empty() && last_name_of(entry.name) == tree_record_name) walls_.insert(folder);
    if (!entry.is_regular) continue;
    containers_.insert(entry.name);
    if (!run_.made.contains(entry.identity)) left_.insert(entry.name);
  }
  for (const TreeEntry& entry : entries) {
    if (entry.is_regular && !left_.contains(entry.name)) look_at_spelling(entry.name);
    const std::optional<std::string> file = left_.contains(entry.name) ? without_container_suffix(entry.name) : std::nullopt;
    if (!file || (others_.contains(*file) && !skipped_.contains(*file))) continue;
    const std::optional<FoundFile> found = find_file(run_.places.at(entry.name));
    if (found && found->container) orphans_.push_back({.container = entry.name, .file = *file, .found = *found});
  }
  for (const TreeFolder& folder : folders) {
    if (!folder.name.empty()) target_folders_.insert(folder.name);
  }
}

// On a file system that takes upper and lower case for the same, a container keeps the spelling that it was made with. A
// link of it elsewhere is not meant.
void Pruning::look_at_spelling(const std::string& container) {
  const std::optional<std::string> file = without_container_suffix(container);
  if (!file || others_.contains(*file)) return;
  const std::optional<struct stat> status = to_.look_at(container);
  if (status && status->st_nlink == 1) respelled_.insert(container);
}

// An empty folder, or another one, leaves no section behind: it may be the place where a disk is missing.
void Pruning::enter_section() {
  std::error_code error;
  const std::string path = std::filesystem::absolute(from_.path_of(""), error).lexically_normal().string();
  const LastingIdentity& identity = folders_.front().identity;
  if (settings_.renews) record_.renew(identity, path);
  if (record_.find(identity) == nullptr && found_.empty()) return;
  section_ = &record_.enter(identity, path);
}

// What is mounted is recorded when it is first seen, and stays recorded until the user says that another one is right.
void Pruning::take_mounts(const FolderSameness& sameness) {
  const std::map<std::string, LastingIdentity, std::less<>> recorded = section_->mounts;
  for (const TreeFolder& folder : folders_) {
    if (folder.is_mount && !recorded.contains(folder.name)) record_.put_mount(folder.name, folder.identity);
  }
  for (const std::string& name : settings_.also.mounts) {
    const auto found = recorded.find(name);
    if (found == recorded.end()) {
      throw Error(ErrorCode::usage,
                  "no mount point " + name + " is recorded of " + from_.path_of("") + " in " + record_.path());
    }
    if (sameness.is_right_mount(name, found->second)) continue;
    const auto now = std::ranges::find(folders_, name, &TreeFolder::name);
    if (now != folders_.end() && now->is_mount) {
      record_.put_mount(name, now->identity);
    } else {
      record_.remove_mount(name);
    }
  }
}

// Where a file was removed, its folder was changed since the last run. A folder that has an earlier time than a run has seen
// is a state from before, as a snapshot or an image has it, and what is not in it may be nowhere else.
bool Pruning::went_back() const {
  return std::ranges::any_of(section_->files, [&](const auto& file) {
    if (file.second.missing != 0 || found_.contains(file.first) || others_.contains(file.first)) return false;
    const timespec changed = folder_holding(file.first).changed;
    return changed.tv_sec != 0 && is_before(changed, section_->latest);  // 0: the file system does not keep it
  });
}

// The folder that a name lies in, or the nearest one above that is there: the one that was named is.
const TreeFolder& Pruning::folder_holding(const std::string& name) const {
  const std::string above = parent_name_of(name);
  const auto found = std::ranges::lower_bound(folders_, above, {}, &TreeFolder::name);
  if (above.empty()) return folders_.front();
  return found != folders_.end() && found->name == above ? *found : folder_holding(above);
}

// What is changed while this run lists does not count: another folder may have been changed before that, unseen.
void Pruning::take_latest() {
  timespec latest{};
  for (const TreeFolder& folder : folders_) {
    if (is_before(latest, folder.changed) && is_before(folder.changed, run_.begun)) latest = folder.changed;
  }
  record_.put_latest(latest);
}

// A file that was moved while the files were listed has got past that: it is there under a name that this run does not know.
void Pruning::look_again(const FolderSameness& sameness) {
  Names there;
  for (const TreeEntry& entry : list_tree(from_)) {
    there.insert(entry.name);
    if (entry.is_regular && !found_.contains(entry.name)) unsealed_.insert(entry.identity.inode);
  }
  for (Orphan& orphan : orphans_) {
    const bool came_back = there.contains(orphan.file);  // and stays
    if (orphan.finding.kept == KeptAs::not_kept && !came_back) orphan.finding = judge(orphan, &sameness);
  }
}

// What was not found is missing since this run, though files failed: that only makes it prove less.
void Pruning::take_files() {
  if (went_back()) record_.forget_since();
  for (const auto& [name, source] : run_.found.all()) record_.put_file(name, source);
  Names missing;
  for (const auto& [name, file] : section_->files) {
    if (!found_.contains(name)) missing.insert(name);
  }
  for (const std::string& name : missing) record_.put_missing(name);
}

// The index and the record forget what is gone and has no container any more. Of a folder that is not the same both keep it:
// somebody else may have removed the container.
void Pruning::forget_gone(const FolderSameness& sameness) {
  const auto is_gone = [&](const std::string& container) {
    const std::optional<std::string> file = without_container_suffix(container);
    if (!file || others_.contains(*file) || !folder_above(container, walls_).empty()) return false;
    const auto recorded = section_->files.find(*file);
    const FolderSameness::Finding finding = recorded != section_->files.end() ? sameness.judge(*file, recorded->second)
                                                                              : sameness.judge(*file, record_.run_number());
    return finding.kept == KeptAs::not_kept;
  };
  if (index_ != nullptr && settings_.removes && settings_.writes) {
    index_->forget_missing([&](const std::string& name) { return to_.look_at(name).has_value() || !is_gone(name); });
  }
  Names gone;
  for (const auto& [name, file] : section_->files) {
    const std::string container = name + container_suffix;
    if (!containers_.contains(container) && is_gone(container)) gone.insert(name);
  }
  for (const std::string& name : gone) record_.remove_file(name);
}

// Somebody may have put another container in the place of ours. One of a file that grew while it was sealed, which the next
// run did not find any more, is longer than the file was when it was opened.
bool Pruning::is_as_recorded(const Orphan& orphan, const RecordedFile& file) const {
  const std::uint64_t bytes = orphan.found.container->plain_bytes;
  if (!run_.keeps_times) return bytes == file.source.bytes;
  return bytes >= file.source.bytes &&
         run_.times.has_time(orphan.found, file.source.modified, run_.places.at(orphan.container));
}

// Without a section there is nothing that a run of this folder is known to have made.
FolderSameness::Finding Pruning::judge(const Orphan& orphan, const FolderSameness* sameness) const {
  const std::string folder = parent_name_of(orphan.container);
  const std::string wall = folder_above(orphan.container, walls_);
  if (!wall.empty()) return {.kept = KeptAs::of_another_record, .folder = wall};
  if (skipped_.contains(orphan.file)) return {.kept = KeptAs::not_a_file, .folder = folder};
  if (section_ != nullptr) {
    const auto file = section_->files.find(orphan.file);
    if (file != section_->files.end() && is_as_recorded(orphan, file->second)) {
      if (unsealed_.contains(file->second.source.file.inode)) return {.kept = KeptAs::under_another_name, .folder = folder};
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

// Without --prune nothing else is told: that it stays is what was asked for.
void Pruning::find_what_is_in_the_way(const FolderSameness& sameness) {
  for (Orphan& orphan : orphans_) {
    const std::string replacement = sameness.replacement_of(orphan.file);
    orphan.finding = {.kept = replacement.empty() ? KeptAs::not_kept : KeptAs::in_the_way, .folder = replacement};
  }
}

std::string Pruning::why_not(const TreeCounts& counts) const {
  if (counts.num_failed != 0) return "not all files could be sealed, and what is gone may be one of them under another name";
  if (record_.is_earlier()) {
    return record_.path() +
           " is of an earlier version, which does not say what was made here: it is written anew, for the next run";
  }
  return "";
}

void Pruning::run(TreeTally& tally) {
  TreeCounts& counts = tally.counts();
  enter_section();
  std::optional<FolderSameness> sameness;
  if (section_ != nullptr) {
    take_files();
    sameness.emplace(*section_, FolderSameness::Now{folders_, found_}, settings_.also);
  }
  for (Orphan& orphan : orphans_) orphan.finding = judge(orphan, sameness ? &*sameness : nullptr);
  if (!settings_.removes && sameness) find_what_is_in_the_way(*sameness);
  const std::string why = why_not(counts);
  const auto is_to_go = [](const Orphan& orphan) { return orphan.finding.kept == KeptAs::not_kept; };
  if (settings_.removes && sameness && why.empty() && std::ranges::any_of(orphans_, is_to_go)) look_again(*sameness);
  if (settings_.removes && why.empty()) remove_all(sameness ? &*sameness : nullptr, tally);
  if (settings_.removes && !why.empty() && !orphans_.empty()) counts.why_not_removed = why;
  if (why.empty()) tell_kept(tally);
  if (section_ != nullptr) {
    if (why.empty()) forget_gone(*sameness);
    take_mounts(*sameness);
    take_subfolders();
    take_latest();
    take_wish(counts);
    if (settings_.writes) record_.write();
  }
  const auto is_ours = [](const Orphan& orphan) { return orphan.finding.kept != KeptAs::of_another_record; };
  counts.num_gone = static_cast<std::uint64_t>(std::ranges::count_if(orphans_, is_ours)) - counts.num_removed;
}

// Right before its container goes: what was saved under its name since it was listed is there again.
void Pruning::require_gone(const std::string& name) const {
  const std::optional<struct stat> now = from_.look_at(name);
  if (!now || S_ISDIR(now->st_mode)) return;
  throw KeptFile(from_.path_of(name) + " is there again: its container stays");
}

void Pruning::remove(const Orphan& orphan, TreeTally& tally, OwnRemovals& removals) {
  FileDescriptor container;
  if (settings_.writes) {
    container = to_.open(orphan.container, O_RDONLY | O_NONBLOCK);  // links of it elsewhere may need what stands beside it
    to_.remove(
        orphan.container, orphan.found.stamp(), [&] { require_gone(orphan.file); }, removals);
    if (index_ != nullptr) index_->remove(orphan.container);
    containers_.erase(orphan.container);
    for (std::string folder = parent_name_of(orphan.file); !folder.empty(); folder = parent_name_of(folder)) {
      emptied_.insert(folder);
    }
    if (section_ != nullptr) record_.remove_file(orphan.file);
  }
  tally.tell_removed(to_.path_of(orphan.container));
  const std::string path = to_.path_of(orphan.container);
  if (settings_.writes && remove_stale_rewrite(path, container.get())) {
    tally.note_unfinished(path + header_suffix, needed_by_other_links);
  }
}

void Pruning::remove_all(const FolderSameness* sameness, TreeTally& tally) {
  OwnRemovals removals;
  for (const Orphan& orphan : orphans_) {
    if (orphan.finding.kept != KeptAs::not_kept) continue;
    try {
      remove(orphan, tally, removals);
    } catch (const KeptFile&) {
      // It counts as one that stays.
    } catch (const Error& error) {
      tally.tell_failure(to_.path_of(orphan.container), error);
    }
  }
  if (settings_.writes && sameness != nullptr) remove_folders(*sameness);
}

// Only what a run of this folder has made. What is not empty stays, and whoever put something there meanwhile keeps it.
void Pruning::remove_folders(const FolderSameness& sameness) {
  const Names recorded = section_->subfolders;
  for (auto name = recorded.rbegin(); name != recorded.rend(); ++name) {
    if (!target_folders_.contains(*name) || walls_.contains(*name) || !folder_above(*name, walls_).empty()) continue;
    const bool is_gone = sameness.judge(*name, record_.run_number()).kept == KeptAs::not_kept;
    if (!is_gone && !emptied_.contains(*name)) continue;
    try {
      const std::optional<struct stat> now = from_.look_at(*name);
      if (now && S_ISDIR(now->st_mode)) continue;
      const FileDescriptor parent = to_.open(parent_name_of(*name), O_PATH | O_DIRECTORY);
      if (unlinkat(parent.get(), last_name_of(*name).c_str(), AT_REMOVEDIR) == 0) target_folders_.erase(*name);
    } catch (const Error&) {
      // It stays.
    }
  }
}

// A container stays for others than are asked for, too, where its file was skipped or failed.
void Pruning::take_wish(TreeCounts& counts) {
  for (const auto& [name, file] : section_->files) {
    const std::string container = name + container_suffix;
    if (!left_.contains(container) || !containers_.contains(container)) continue;
    if (folder_above(container, walls_).empty()) settings_.on_kept(container, name);
  }
  const std::string wish = settings_.wish(counts);
  if (!wish.empty()) record_.put_wish(wish);
}

// A folder that is gone, and of which there is still a copy, is remembered until that goes too.
void Pruning::take_subfolders() {
  Names names;
  for (const std::string& name : section_->subfolders) {
    if (target_folders_.contains(name)) names.insert(name);
  }
  for (const TreeFolder& folder : folders_) {
    if (!folder.name.empty()) names.insert(folder.name);
  }
  record_.put_subfolders(names);
}

std::string Pruning::why_kept(const FolderSameness::Finding& finding) const {
  const std::string folder = from_.path_of(finding.folder), also = std::string("; ") + run_.names.prune_also;
  switch (finding.kept) {
    case KeptAs::changed_mount:
      return folder + " was a mount point, and is none now, or of another file system" + also + " mount:" + finding.folder +
             " removes it";
    case KeptAs::emptied:
      return "of what was recorded in " + folder +
             " when the file was last seen, nothing is there: its disk may be missing" + also + " emptied removes it";
    case KeptAs::unrecorded:
      if (section_ == nullptr) return "nothing is recorded of " + from_.path_of("") + ": its disk may be missing";
      return "no run over " + from_.path_of("") + " is recorded to have made it" + also + " unrecorded removes it";
    case KeptAs::of_another_folder:
      return "a run over " + finding.folder + " made it; if that is " + from_.path_of("") + " now, give " +
             run_.names.renew_tree;
    case KeptAs::under_another_name:
      return "its file has another name now, and was not sealed";
    case KeptAs::not_a_file:
      return "a link, a pipe or a device has the file's name now, and is not sealed: remove the container by hand where it "
             "is "
             "not needed";
    case KeptAs::in_the_way:
      return folder + (others_.contains(finding.folder) ? " is a file now" : " is a folder now") +
             ", and a restore can make one of both only; " + run_.names.prune + " removes what is gone";
    default:
      return "the folder has a " + std::string(tree_record_name) + " of its own, and is the copy of another one";
  }
}

// A folder of the copies where a file is now: something in it is none of ours, so that it stays.
void Pruning::tell_folders_in_the_way(Names& kept, TreeTally& tally) const {
  for (const std::string& name : found_) {
    if (!target_folders_.contains(name)) continue;
    const bool goes = !settings_.writes && settings_.removes && section_->subfolders.contains(name);
    const auto is_told = [&](const Orphan& orphan) {
      return orphan.finding.kept == KeptAs::in_the_way && orphan.finding.folder == name;
    };
    if (goes || std::ranges::any_of(orphans_, is_told)) continue;
    if (!kept.insert(name).second || section_->told.contains(name)) continue;
    tally.tell_kept(to_.path_of(name),
                    from_.path_of(name) + " is a file now, and a restore can make one of both only: move it away", 1);
  }
}

// Each is told once, those of one folder together; later they are counted.
void Pruning::tell_kept(TreeTally& tally) {
  struct Group {
    std::string first;
    std::size_t number = 0;
  };
  std::map<std::tuple<KeptAs, std::string, std::string>, Group> groups;
  Names kept;
  for (const Orphan& orphan : orphans_) {
    const FolderSameness::Finding& finding = orphan.finding;
    if (finding.kept == KeptAs::not_kept) {
      if (!settings_.removes && section_ != nullptr && section_->told.contains(orphan.container))
        kept.insert(orphan.container);
      continue;
    }
    const bool is_walled = finding.kept == KeptAs::of_another_record;
    const std::string name = is_walled ? finding.folder : orphan.container;
    const bool is_first = kept.insert(name).second;
    if (!is_first || (section_ != nullptr && section_->told.contains(name))) continue;
    const std::string folder = is_walled ? finding.folder : parent_name_of(name);
    Group& group = groups[{finding.kept, finding.folder, folder}];
    if (group.number++ == 0) group.first = name;
  }
  for (const auto& [key, group] : groups) {
    const auto& [as, where, folder] = key;
    const bool is_one = group.number == 1 && as != KeptAs::of_another_record;
    const std::string what = is_one || as == KeptAs::of_another_record ? "" : count_containers(group.number) + ": ";
    tally.tell_kept(to_.path_of(is_one ? group.first : folder), what + why_kept({.kept = as, .folder = where}),
                    group.number);
  }
  for (const std::string& name : respelled_) {
    if (!kept.insert(name).second || (section_ != nullptr && section_->told.contains(name))) continue;
    tally.tell_kept(to_.path_of(name),
                    "its file's name has other letters in upper case now: rename the container to that name", 1);
  }
  tell_folders_in_the_way(kept, tally);
  if (section_ != nullptr) record_.put_told(kept);
}

}  // namespace phalanx

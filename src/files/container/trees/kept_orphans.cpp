#include "files/container/trees/kept_orphans.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace phalanx {
namespace {

std::string count_containers(std::size_t number) {
  return number == 1 ? "1 container" : std::to_string(number) + " containers";
}

}  // namespace

Names KeptOrphans::tell(TreeTally& tally) const {
  Names kept;
  tell_orphans(kept, tally);
  tell_respelled(kept, tally);
  tell_folders_in_the_way(kept, tally);
  return kept;
}

bool KeptOrphans::was_told(const std::string& name) const { return section_ != nullptr && section_->told.contains(name); }

std::string KeptOrphans::why(const FolderSameness::Finding& finding) const {
  const std::string from = contents_.from.path_of(""), folder = contents_.from.path_of(finding.folder);
  const std::string also = std::string("; ") + names_.prune_also;
  switch (finding.kept) {
    case KeptAs::changed_mount:
      return folder + " was a mount point, and is none now, or of another file system" + also + " mount:" + finding.folder +
             " removes it";
    case KeptAs::emptied:
      return "of what was recorded in " + folder +
             " when the file was last seen, nothing is there: its disk may be missing" + also + " emptied removes it";
    case KeptAs::unrecorded:
      if (section_ == nullptr) return "nothing is recorded of " + from + ": its disk may be missing";
      return "no run over " + from + " is recorded to have made it" + also + " unrecorded removes it";
    case KeptAs::of_another_folder:
      return "a run over " + finding.folder + " made it; if that is " + from + " now, give " + names_.renew_tree;
    case KeptAs::under_another_name:
      return "its file has another name now, and was not sealed";
    case KeptAs::not_a_file:
      return "a link, a pipe or a device has the file's name now, and is not sealed: remove the container by hand where it "
             "is not needed";
    case KeptAs::in_the_way:
      return folder + (contents_.others.contains(finding.folder) ? " is a file now" : " is a folder now") +
             ", and a restore can make one of both only; " + names_.prune + " removes what is gone";
    default:
      return "the folder has a " + std::string(tree_record_name) + " of its own, and is the copy of another one";
  }
}

void KeptOrphans::tell_orphans(Names& kept, TreeTally& tally) const {
  struct Group {
    std::string first;
    std::size_t number = 0;
  };
  std::map<std::tuple<KeptAs, std::string, std::string>, Group> groups;
  for (const Orphan& orphan : contents_.orphans) {
    const FolderSameness::Finding& finding = orphan.finding;
    if (orphan.is_to_go()) {
      if (!policy_.removes && was_told(orphan.container)) kept.insert(orphan.container);
      continue;
    }
    const bool is_walled = finding.kept == KeptAs::of_another_record;
    const std::string name = is_walled ? finding.folder : orphan.container;
    if (!kept.insert(name).second || was_told(name)) continue;
    const std::string folder = is_walled ? finding.folder : parent_name_of(name);
    Group& group = groups[{finding.kept, finding.folder, folder}];
    if (group.number++ == 0) group.first = name;
  }
  for (const auto& [key, group] : groups) {
    const auto& [as, where, folder] = key;
    const bool is_one = group.number == 1 && as != KeptAs::of_another_record;
    const std::string what = is_one || as == KeptAs::of_another_record ? "" : count_containers(group.number) + ": ";
    tally.tell_kept(contents_.to.path_of(is_one ? group.first : folder), what + why({.kept = as, .folder = where}),
                    group.number);
  }
}

void KeptOrphans::tell_respelled(Names& kept, TreeTally& tally) const {
  for (const std::string& name : contents_.respelled) {
    if (!kept.insert(name).second || was_told(name)) continue;
    tally.tell_kept(contents_.to.path_of(name),
                    "its file's name has other letters in upper case now: rename the container to that name", 1);
  }
}

// A file stands now where the copies have a folder. A file in that folder is not ours, so that it stays.
void KeptOrphans::tell_folders_in_the_way(Names& kept, TreeTally& tally) const {
  for (const std::string& name : contents_.found) {
    if (!contents_.target_folders.contains(name)) continue;
    const bool goes = !policy_.writes && policy_.removes && section_->subfolders.contains(name);
    const auto is_told = [&](const Orphan& orphan) {
      return orphan.finding.kept == KeptAs::in_the_way && orphan.finding.folder == name;
    };
    if (goes || std::ranges::any_of(contents_.orphans, is_told)) continue;
    if (!kept.insert(name).second || was_told(name)) continue;
    tally.tell_kept(contents_.to.path_of(name),
                    contents_.from.path_of(name) + " is a file now, and a restore can make one of both only: move it away",
                    1);
  }
}

}  // namespace phalanx

#include "files/container/trees/section_update.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace phalanx {

void SectionUpdate::take_files(const FoundSources& found) {
  if (went_back()) record_.forget_since();
  for (const auto& [name, source] : found.all()) record_.put_file(name, source);
  Names missing;
  for (const auto& [name, file] : section_.files) {
    if (!contents_.found.contains(name)) missing.insert(name);
  }
  for (const std::string& name : missing) record_.put_missing(name);
}

// If a file was removed, its folder was changed since the last run. A folder with an earlier time than a run has seen is an
// earlier state, as a snapshot or an image has it. A file that is not in it may be nowhere else.
bool SectionUpdate::went_back() const {
  return std::ranges::any_of(section_.files, [&](const auto& file) {
    if (file.second.missing != 0 || contents_.found.contains(file.first) || contents_.others.contains(file.first))
      return false;
    const timespec changed = folder_holding(file.first).changed;
    return changed.tv_sec != 0 && is_before(changed, section_.latest);  // 0: the file system does not keep the time
  });
}

// Returns the folder that a name lies in, or the nearest one above that is there. The folder that was named is always there.
const TreeFolder& SectionUpdate::folder_holding(const std::string& name) const {
  const std::string above = parent_name_of(name);
  const auto found = std::ranges::lower_bound(contents_.folders, above, {}, &TreeFolder::name);
  if (above.empty()) return contents_.folders.front();
  return found != contents_.folders.end() && found->name == above ? *found : folder_holding(above);
}

bool SectionUpdate::is_gone(const FolderSameness& sameness, const std::string& container) const {
  const std::optional<std::string> file = without_container_suffix(container);
  if (!file || contents_.others.contains(*file) || !contents_.wall_above(container).empty()) return false;
  const auto recorded = section_.files.find(*file);
  const FolderSameness::Finding finding = recorded != section_.files.end() ? sameness.judge(*file, recorded->second)
                                                                           : sameness.judge(*file, record_.run_number());
  return finding.kept == KeptAs::not_kept;
}

void SectionUpdate::forget_gone(const FolderSameness& sameness) {
  Names gone;
  for (const auto& [name, file] : section_.files) {
    const std::string container = name + container_suffix;
    if (!contents_.containers.contains(container) && is_gone(sameness, container)) gone.insert(name);
  }
  for (const std::string& name : gone) record_.remove_file(name);
}

void SectionUpdate::take_mounts(const FolderSameness& sameness, const Names& changed) {
  const std::map<std::string, LastingIdentity, std::less<>> recorded = section_.mounts;
  for (const TreeFolder& folder : contents_.folders) {
    if (folder.is_mount && !recorded.contains(folder.name)) record_.put_mount(folder.name, folder.identity);
  }
  for (const std::string& name : changed) {
    const auto found = recorded.find(name);
    if (found == recorded.end()) {
      throw Error(ErrorCode::usage,
                  "no mount point " + name + " is recorded of " + contents_.from.path_of("") + " in " + record_.path());
    }
    if (sameness.is_right_mount(name, found->second)) continue;
    const auto now = std::ranges::find(contents_.folders, name, &TreeFolder::name);
    if (now != contents_.folders.end() && now->is_mount) {
      record_.put_mount(name, now->identity);
    } else {
      record_.remove_mount(name);
    }
  }
}

void SectionUpdate::take_subfolders() {
  Names names;
  for (const std::string& name : section_.subfolders) {
    if (contents_.target_folders.contains(name)) names.insert(name);
  }
  for (const TreeFolder& folder : contents_.folders) {
    if (!folder.name.empty()) names.insert(folder.name);
  }
  record_.put_subfolders(names);
}

void SectionUpdate::take_latest() {
  timespec latest{};
  for (const TreeFolder& folder : contents_.folders) {
    if (is_before(latest, folder.changed) && is_before(folder.changed, begun_)) latest = folder.changed;
  }
  record_.put_latest(latest);
}

}  // namespace phalanx

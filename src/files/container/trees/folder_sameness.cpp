#include "files/container/trees/folder_sameness.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <string_view>

#include "files/container/trees/record_words.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

bool is_at_or_below(const std::string& name, const std::string& folder) {
  return name == folder || name.starts_with(folder + '/');
}

}  // namespace

PruneAlso read_prune_also(std::span<const std::string> words, const char* setting) {
  constexpr std::string_view mount = "mount:";
  PruneAlso also;
  for (const std::string& word : words) {
    std::string name = word.starts_with(mount) ? word.substr(mount.size()) : "";
    while (name.ends_with('/')) name.pop_back();
    if (word == "emptied") {
      also.emptied = true;
    } else if (word == "unrecorded") {
      also.unrecorded = true;
    } else if (!name.empty()) {
      also.mounts.insert(name);
    } else {
      throw Error(ErrorCode::usage,
                  std::string(setting) + " knows no '" + word +
                      "': give emptied, unrecorded, or mount: and the name of a mount point below the folder");
    }
  }
  return also;
}

FolderSameness::FolderSameness(const TreeSection& section, const Now& now, const PruneAlso& also)
    : section_(section), found_(now.found), also_(also) {
  for (const TreeFolder& folder : now.folders) folders_[folder.name] = &folder;
  for (const std::string& name : now.found) {
    const auto file = section.files.find(name);
    if (file == section.files.end()) continue;
    add_witness(name, file->second.since);
    if (!file->second.source.file.born) continue;
    std::uint64_t& latest = found_identities_[words_of(file->second.source.file)];
    latest = std::max(latest, file->second.since);
  }
}

// A file on another disk says nothing of the folder that this disk is mounted in.
void FolderSameness::add_witness(const std::string& name, std::uint64_t since) {
  for (std::string folder = name; !folder.empty();) {
    folder = parent_name_of(folder);
    const auto [earliest, is_new] = witnesses_.try_emplace(folder, since);
    if (!is_new) earliest->second = std::min(earliest->second, since);
    const auto found = folders_.find(folder);
    if (found == folders_.end() || found->second->is_mount) return;
  }
}

bool FolderSameness::is_right_mount(const std::string& name, const LastingIdentity& recorded) const {
  const auto found = folders_.find(name);
  return found != folders_.end() && found->second->is_mount && found->second->identity == recorded;
}

std::string FolderSameness::replacement_of(const std::string& name) const {
  if (folders_.contains(name)) return name;
  for (std::string folder = name; !folder.empty(); folder = parent_name_of(folder)) {
    if (found_.contains(folder)) return folder;
  }
  return "";
}

bool FolderSameness::was_renamed(const RecordedFile& file) const {
  if (!file.source.file.born) return false;
  const auto found = found_identities_.find(words_of(file.source.file));
  return found != found_identities_.end() && found->second >= file.missing;
}

FolderSameness::Finding FolderSameness::judge(const std::string& name, const RecordedFile& file) const {
  const Finding finding = judge(name, file.missing);
  return finding.kept == KeptAs::emptied && was_renamed(file) ? Finding{} : finding;
}

FolderSameness::Finding FolderSameness::judge(const std::string& name, std::uint64_t missing) const {
  std::string folder = name;
  while (!folder.empty() && !folders_.contains(folder)) folder = parent_name_of(folder);
  std::string wall;  // the innermost
  bool is_free = false;
  for (const auto& [mount, recorded] : section_.mounts) {
    if (!is_at_or_below(name, mount) || is_right_mount(mount, recorded)) continue;
    if (!also_.mounts.contains(mount)) wall = mount;
    is_free = is_free || is_at_or_below(folder, mount);
  }
  if (!wall.empty()) return {.kept = KeptAs::changed_mount, .folder = wall};
  if (is_free) return {};
  if (!replacement_of(name).empty() || also_.emptied) return {};
  const auto witness = witnesses_.find(folder);
  if (witness != witnesses_.end() && witness->second < missing) return {};
  return {.kept = KeptAs::emptied, .folder = folder};
}

}  // namespace phalanx

#include "files/container/trees/other_folders.hpp"

#include <algorithm>
#include <utility>

namespace phalanx {
namespace {

bool has_file_as_recorded(const RootedFolder& from, const TreeSection& section) {
  return std::ranges::any_of(section.files, [&](const auto& file) {
    const std::optional<struct stat> now = from.look_at(file.first);
    const RecordedSource& source = file.second.source;
    return now && S_ISREG(now->st_mode) && static_cast<std::uint64_t>(now->st_size) == source.bytes &&
           are_equal(now->st_mtim, source.modified);
  });
}

}  // namespace

void OtherFolders::begin(const TreeRecord& record, const RootedFolder& from, const LastingIdentity& own) {
  for (const TreeSection& section : record.sections()) {
    if (section.folder == own || has_file_as_recorded(from, section)) continue;
    Folder folder{.path = section.path, .files = {}};
    for (const auto& [name, file] : section.files) folder.files.insert(name);
    folders_.push_back(std::move(folder));
  }
}

std::string OtherFolders::owner_of(const std::string& file) const {
  const auto found = std::ranges::find_if(folders_, [&](const Folder& folder) { return folder.files.contains(file); });
  return found == folders_.end() ? "" : found->path;
}

}  // namespace phalanx

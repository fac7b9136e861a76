#include "files/container/trees/tree_contents.hpp"

#include <optional>

namespace phalanx {

void FoundSources::add(const std::string& name, const struct stat& status, int descriptor) {
  const RecordedSource source{.bytes = static_cast<std::uint64_t>(status.st_size),
                              .modified = status.st_mtim,
                              .file = lasting_identity_of(descriptor, name)};
  const std::lock_guard lock(mutex_);
  sources_[name] = source;
}

TreeContents::TreeContents(const TreeListing& files, const ResultPlaces& places, OutputRegistry& made,
                           const FoundSources& sources)
    : from(*files.folders().front().folder), to(*places.to()), folders(files.folders().front().folders) {
  list_source(files, sources);
  list_target(places, made);
}

std::string TreeContents::wall_above(const std::string& name) const {
  for (std::string folder = parent_name_of(name); !folder.empty(); folder = parent_name_of(folder)) {
    if (walls.contains(folder)) return folder;
  }
  return "";
}

void TreeContents::list_source(const TreeListing& files, const FoundSources& sources) {
  for (const ListedFile& file : files.files()) {
    others.insert(file.name);
    if (!file.why_not.empty() && !file.failed) skipped.insert(file.name);
  }
  for (const auto& [name, source] : sources.all()) found.insert(name);
  for (const std::string& name : others) {
    const std::optional<struct stat> status = found.contains(name) ? std::nullopt : from.look_at(name);
    if (status && S_ISREG(status->st_mode)) unsealed.insert(status->st_ino);
  }
}

void TreeContents::list_target(const ResultPlaces& places, OutputRegistry& made) {
  std::vector<TreeFolder> below;
  const std::vector<TreeEntry> entries = list_tree(to, &below);
  for (const TreeEntry& entry : entries) {
    if (entry.failed) throw Error(ErrorCode::runtime, to.path_of(entry.name) + ": " + entry.why_not);
    const std::string folder = parent_name_of(entry.name);
    if (!folder.empty() && last_name_of(entry.name) == tree_record_name) walls.insert(folder);
    if (!entry.is_regular) continue;
    containers.insert(entry.name);
    if (!made.contains(entry.identity)) left.insert(entry.name);
  }
  for (const TreeEntry& entry : entries) {
    if (entry.is_regular && !left.contains(entry.name)) look_at_spelling(entry.name);
    const std::optional<std::string> file = left.contains(entry.name) ? without_container_suffix(entry.name) : std::nullopt;
    if (!file || (others.contains(*file) && !skipped.contains(*file))) continue;
    const std::optional<FoundFile> there = find_file(places.at(entry.name));
    if (there && there->container) orphans.push_back({.container = entry.name, .file = *file, .found = *there});
  }
  for (const TreeFolder& folder : below) {
    if (!folder.name.empty()) target_folders.insert(folder.name);
  }
}

// On a file system that ignores case, a container keeps the spelling that it was made with. A hard link of it elsewhere does
// not count.
void TreeContents::look_at_spelling(const std::string& container) {
  const std::optional<std::string> file = without_container_suffix(container);
  if (!file || others.contains(*file)) return;
  const std::optional<struct stat> status = to.look_at(container);
  if (status && status->st_nlink == 1) respelled.insert(container);
}

}  // namespace phalanx

#include "files/system/tree_listing.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "files/system/paths.hpp"

namespace phalanx {

Input ListedFile::open() const {
  constexpr int flags = O_RDONLY | O_NONBLOCK;
  if (folder) return {folder->open(name, flags), path};
  return {open_file(path, flags), path};
}

TreeListing::TreeListing(std::span<const std::string> names, const ProtectedFiles& needed, const IsRead& is_read)
    : needed_(needed), inputs_(&needed) {
  for (const std::string& name : names) add_named(name);
  for (const ListedFile& file : files_) {
    if (file.from_folder() && is_read && !is_read(file)) continue;
    inputs_.add_path(file.path, "one of the files to read");
  }
}

TreeListing::TreeListing(const std::shared_ptr<const RootedFolder>& folder, const NameList* list,
                         const ProtectedFiles& needed)
    : needed_(needed), inputs_(&needed) {
  ListedFolder& listed = folders_.emplace_back(ListedFolder{.folder = folder, .folders = {}});
  add_folder(folder, list != nullptr ? list_named(*folder, list->path, list->end) : list_tree(*folder, &listed.folders));
}

void TreeListing::add_named(const std::string& name) {
  struct stat status {};
  const bool is_there = ::stat(require_named(name).c_str(), &status) == 0;
  if (is_there && S_ISDIR(status.st_mode)) {
    const auto folder = std::make_shared<const RootedFolder>(name);
    ListedFolder& listed = folders_.emplace_back(ListedFolder{.folder = folder, .folders = {}});
    return add_folder(folder, list_tree(*folder, &listed.folders));
  }
  has_named_files_ = true;
  ListedFile& file = files_.emplace_back();
  file.path = name;
  file.name = last_name_of(name);
  file.is_regular = is_there && S_ISREG(status.st_mode);
  if (!file.is_regular) return;
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  file.identity = FileIdentity(status);
}

void TreeListing::add_folder(const std::shared_ptr<const RootedFolder>& folder, std::vector<TreeEntry> entries) {
  const auto has_any = [&](const char* suffix) {
    return std::ranges::any_of(entries, [&](const TreeEntry& entry) { return entry.name.ends_with(suffix); });
  };
  const bool has_rewrite = has_any(header_suffix), has_journal = has_any(journal_suffix);
  for (TreeEntry& entry : entries) {
    ListedFile& file = files_.emplace_back();
    static_cast<TreeEntry&>(file) = std::move(entry);
    file.path = folder->path_of(file.name);
    file.folder = folder;
    file.has_no_rewrite = !has_rewrite;
    file.has_no_journal = !has_journal;
  }
}

std::vector<std::string> TreeListing::paths() const {
  std::vector<std::string> paths;
  for (const ListedFile& file : files_) {
    if (file.why_not.empty()) paths.push_back(file.path);
  }
  return paths;
}

std::uint64_t TreeListing::total_bytes() const {
  std::uint64_t sum = 0;
  for (const ListedFile& file : files_) sum += file.bytes;
  return sum;
}

std::vector<std::uint64_t> TreeListing::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const ListedFile& file : files_) sizes.push_back(file.bytes);
  return sizes;
}

}  // namespace phalanx

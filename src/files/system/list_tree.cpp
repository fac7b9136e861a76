#include "files/system/list_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <phalanx/error.hpp>
#include <set>
#include <utility>

#include "files/system/line_reader.hpp"

namespace phalanx {
namespace {

namespace fs = std::filesystem;

TreeEntry describe(const std::string& name, const struct stat& status) {
  TreeEntry entry;
  entry.name = name;
  entry.is_regular = S_ISREG(status.st_mode);
  if (entry.is_regular) {
    entry.bytes = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
    entry.identity = FileIdentity(status);
  } else if (S_ISLNK(status.st_mode)) {
    entry.why_not = "a symbolic link";
  } else {
    entry.why_not = S_ISDIR(status.st_mode) ? "a folder" : "no regular file";
  }
  return entry;
}

TreeEntry failed_entry(const std::string& name, const std::string& why) {
  TreeEntry entry;
  entry.name = name;
  entry.why_not = why;
  entry.failed = true;
  return entry;
}

using OpenFolder = std::unique_ptr<DIR, int (*)(DIR*)>;

struct TreeListing {
  std::vector<TreeEntry> entries;
  std::vector<TreeFolder> folders;
};

void add_folder(const std::string& name, int descriptor, std::optional<dev_t> above, TreeListing& listing) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) throw_system_error("look at", name);
  const bool is_mount = above && is_mount_root(descriptor).value_or(*above != status.st_dev);
  listing.folders.push_back({.name = name,
                             .device = status.st_dev,
                             .is_mount = is_mount,
                             .identity = lasting_identity_of(descriptor, name),
                             .changed = status.st_ctim});
}

// `prefix` is "" or ends with a slash; `above` is the device of the folder that holds this one.
void list_folder(const RootedFolder& root, const std::string& prefix, std::optional<dev_t> above, TreeListing& listing) {
  std::vector<TreeEntry>& entries = listing.entries;
  const std::string name = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
  OpenFolder here(nullptr, closedir);
  try {
    const FileDescriptor folder = root.open(name, O_RDONLY | O_DIRECTORY);
    here.reset(fdopendir(fcntl(folder.get(), F_DUPFD_CLOEXEC, 3)));
    if (here) add_folder(name, folder.get(), above, listing);
  } catch (const Error& error) {
    entries.push_back(failed_entry(name.empty() ? "." : name, std::string("cannot read the folder: ") + error.what()));
    return;
  }
  const dev_t device = here ? listing.folders.back().device : 0;
  while (here) {
    errno = 0;
    const dirent* const found = readdir(here.get());
    if (found == nullptr) break;
    const std::string last_name = found->d_name;
    struct stat status {};
    if (last_name == "." || last_name == "..") continue;
    if (fstatat(dirfd(here.get()), found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT)
        entries.push_back(failed_entry(prefix + last_name, std::strerror(errno)));  // else removed meanwhile
      continue;
    }
    if (S_ISDIR(status.st_mode)) {
      list_folder(root, prefix + last_name + '/', device, listing);
    } else {
      entries.push_back(describe(prefix + last_name, status));
    }
  }
  if (here && errno == 0) return;
  entries.push_back(failed_entry(name.empty() ? "." : name, std::string("cannot read the folder: ") + std::strerror(errno)));
}

std::string normalized(const std::string& line) {
  const fs::path path = fs::path(line).lexically_normal();
  if (path.is_absolute() || path.begin() == path.end() || *path.begin() == "..") {
    throw Error(ErrorCode::format, "the list names " + line + ": its lines are names below the folder of the old files");
  }
  return path.string();
}

TreeEntry describe_named(const RootedFolder& root, const std::string& name) {
  struct stat status {};
  try {
    const std::string folder = fs::path(name).parent_path().string();
    const FileDescriptor parent = root.open(folder, O_RDONLY | O_DIRECTORY);
    if (fstatat(parent.get(), last_name_of(name).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return describe(name, status);
  } catch (const Error&) {
    // Opening the file says why it fails.
  }
  TreeEntry entry;
  entry.name = name;
  entry.is_regular = true;
  return entry;
}

FileDescriptor open_list(const std::string& path) {
  if (path == "-") return duplicate(STDIN_FILENO, "standard input");
  if (const auto number = inherited_descriptor(path)) return duplicate(*number, path);
  return open_file(path, O_RDONLY);
}

}  // namespace

std::vector<TreeEntry> list_tree(const RootedFolder& folder, std::vector<TreeFolder>* folders) {
  TreeListing listing;
  list_folder(folder, "", std::nullopt, listing);
  std::ranges::sort(listing.entries, {}, &TreeEntry::name);
  if (folders != nullptr) {
    *folders = std::move(listing.folders);
    std::ranges::sort(*folders, {}, &TreeFolder::name);
  }
  return std::move(listing.entries);
}

std::vector<TreeEntry> list_named(const RootedFolder& folder, const std::string& list_path, char end) {
  const FileDescriptor list = open_list(list_path);
  LineReader lines(list.get(), list_path, PATH_MAX, end);
  std::vector<TreeEntry> entries;
  std::set<std::string> names;
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    const std::string name = normalized(line);
    if (names.insert(name).second) entries.push_back(describe_named(folder, name));
  }
  return entries;
}

}  // namespace phalanx

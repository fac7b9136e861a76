// This lists the files of a folder and of the folders in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/system/file_identity.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

/// This is a file below a folder, and no folder.
struct TreeEntry {
  std::string name;         ///< relative to the folder: "2014/march.des3"
  std::uint64_t bytes = 0;  ///< filled for a regular file
  FileIdentity identity{};  ///< filled for a regular file
  bool is_regular = false;
  std::string why_not;  ///< for others: what it is instead
  bool failed = false;  ///< a folder that cannot be read
};

/// This is a folder below a folder, or that itself.
struct TreeFolder {
  std::string name;       ///< relative to the folder; "" for itself
  dev_t device = 0;       ///< the device that it lies on
  bool is_mount = false;  ///< something is mounted there: another disk, or another folder
  LastingIdentity identity{};
  timespec changed{};  ///< the change of its inode: a name that comes or goes sets it, and no program sets it back
};

/// Lists all files, sorted by name. Symbolic links are entries, and nothing is followed. The folders, the first one
/// included, go into `folders`, sorted by name, where that is not nullptr. Folders that cannot be read are left out there.
[[nodiscard]] std::vector<TreeEntry> list_tree(const RootedFolder& folder, std::vector<TreeFolder>* folders = nullptr);

/// Lists the files that the lines of a file name, each of which ends with `end`, relative to `folder`, in its order, once
/// each. A file that does not exist is taken as a regular one, so that opening it fails. Throws Error: format if a line
/// leads out of the folder, runtime if the list cannot be read.
[[nodiscard]] std::vector<TreeEntry> list_named(const RootedFolder& folder, const std::string& list_path, char end);

}  // namespace phalanx

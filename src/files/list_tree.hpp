// The files of a folder and of the folders in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/file_identity.hpp"
#include "files/rooted_folder.hpp"

namespace phalanx {

/// Something below a folder, other than a folder.
struct TreeEntry {
  std::string name;         ///< relative to the folder: "2014/march.des3"
  std::uint64_t bytes = 0;  ///< of a regular file
  FileIdentity identity{};  ///< of a regular file
  bool is_regular = false;
  std::string why_not;  ///< otherwise: what it is instead
  bool failed = false;  ///< a folder that cannot be read
};

/// All of them, sorted by name. Links are entries, and nothing is followed.
[[nodiscard]] std::vector<TreeEntry> list_tree(const RootedFolder& folder);

/// Those that the lines of a file name, each of which ends with `end`, relative to `folder`, in its order, once each. A file
/// that does not exist is taken as a regular one, so that opening it tells. Throws Error: format if a line leads out of the
/// folder, runtime if the list cannot be read.
[[nodiscard]] std::vector<TreeEntry> list_named(const RootedFolder& folder, const std::string& list_path, char end);

}  // namespace phalanx

// A run over a tree takes the files that were named, and all files below the folders that were named.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/system/input.hpp"
#include "files/system/list_tree.hpp"
#include "files/system/protected_files.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

/// This is one of the files. Its name is the path below its folder. A file that was named itself has its last name.
struct ListedFile : TreeEntry {
  std::string path{};                            ///< as the user wrote it, to open it and for messages
  std::shared_ptr<const RootedFolder> folder{};  ///< the folder that it was found below; nullptr where it was named itself
  bool has_no_rewrite = false;  ///< no rewrite of its header was at work, or had been killed, when it was listed
  bool has_no_journal = false;  ///< no journal of a run in place lay beside it then

  /// Says whether it was found below a folder that was named, and not named itself.
  [[nodiscard]] bool from_folder() const { return folder != nullptr; }

  /// Opens it. A pipe that took its place is not waited for, and below a folder no symbolic link is followed. Throws Error.
  [[nodiscard]] Input open() const;
};

/// This is a folder that was named, and all folders in it.
struct ListedFolder {
  std::shared_ptr<const RootedFolder> folder;
  std::vector<TreeFolder> folders;  ///< the folder itself comes first
};

/// This is a list of names in a file.
struct NameList {
  std::string path;  ///< "-" is standard input
  char end = '\n';   ///< ends each name
};

class TreeListing {
 public:
  /// Says whether a file that was found in a folder will be read, and not skipped.
  using IsRead = std::function<bool(const ListedFile& file)>;

  /// Lists the files that are named, and those in the folders that are, as list_tree does. `needed` stays the caller's.
  TreeListing(std::span<const std::string> names, const ProtectedFiles& needed, const IsRead& is_read = {});

  /// Lists the files in one folder, or those that the list names there (list_named), where that is not nullptr. `needed`
  /// stays the caller's. None of the files is among the inputs.
  TreeListing(const std::shared_ptr<const RootedFolder>& folder, const NameList* list, const ProtectedFiles& needed);

  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::vector<std::uint64_t> sizes() const;  ///< sizes of the files
  [[nodiscard]] const std::vector<ListedFile>& files() const { return files_; }
  [[nodiscard]] std::vector<std::string> paths() const;  ///< paths of the files that can be read
  [[nodiscard]] const std::vector<ListedFolder>& folders() const { return folders_; }
  [[nodiscard]] bool has_named_files() const { return has_named_files_; }  ///< not all lie below folders
  [[nodiscard]] bool is_one_folder() const { return folders_.size() == 1 && !has_named_files(); }

  /// Returns the other files that the run needs, which stay the caller's.
  [[nodiscard]] const ProtectedFiles& needed() const { return needed_; }

  /// Returns the files that are named, and those in folders that `is_read` accepts, or all, as files that the run needs.
  /// None of them is ever written.
  [[nodiscard]] const ProtectedFiles& inputs() const { return inputs_; }

 private:
  void add_named(const std::string& name);
  void add_folder(const std::shared_ptr<const RootedFolder>& folder, std::vector<TreeEntry> entries);

  const ProtectedFiles& needed_;
  ProtectedFiles inputs_;
  std::vector<ListedFile> files_;
  std::vector<ListedFolder> folders_;
  bool has_named_files_ = false;
};

}  // namespace phalanx

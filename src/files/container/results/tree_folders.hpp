// The folders of the results, which get what the folders of the files have.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/error.hpp>
#include <string>

#include "files/system/file_attributes.hpp"
#include "files/system/rooted_folder.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

/// What a copy of a folder has of it.
enum class FolderKeeping : unsigned char {
  nothing,        ///< folders are made as any others
  mode_and_time,  ///< permissions less the umask, and the time
  everything,     ///< owner, permissions, attributes and time, as they were when the folder was first needed
};

/// What `encrypt --each` and `decrypt --each` keep.
[[nodiscard]] inline FolderKeeping kept_of_folders(bool keep) {
  return keep ? FolderKeeping::mode_and_time : FolderKeeping::nothing;
}

struct FolderCopying {
  FolderKeeping keep = FolderKeeping::mode_and_time;
  bool makes = true;          ///< else nothing is made or set
  bool keep_of_found = true;  ///< by `mode_and_time`: permissions of those that were there, too
};

/// The folder for the results.
struct ResultFolder {
  std::shared_ptr<const RootedFolder> folder{};  ///< nullptr: there is none, and nothing to do
  bool is_new = false;                           ///< it was not there before
  bool is_durable = true;  ///< not where we made it, or a folder that it lies in, in one that cannot be made durable
};

/// What cannot be read or set is left as it is: that loses nothing. Its owner may always enter a copy, and write to it. Each
/// copy is made beneath the one before, so that a link in the place of a folder leads nowhere. Any number of threads may use
/// it.
class TreeFolders {
 public:
  /// All folders of the files: where these lie in one, the folder for the results is the copy of that.
  TreeFolders(const TreeListing& files, const ResultFolder& to, const FolderCopying& copying);

  /// Those below one folder, as they are needed.
  TreeFolders(std::shared_ptr<const RootedFolder> from, const ResultFolder& to, const FolderCopying& copying);

  /// Makes all that are known, empty ones too: before any file. Tells which cannot be made, and why.
  using OnFailure = std::function<void(const std::string& path, const Error& error)>;
  void make_all(const OnFailure& on_failure);

  /// Makes the folder of this file's result, and those it lies in: before a file in it is written, or an old one removed.
  /// Throws Error: usage where a symbolic link is in the place of one, else runtime.
  void make_for(const std::string& name);

  /// Has the folder of this file in mind, and those it lies in, as they are now: their results are there.
  void remember(const std::string& name);

  /// Whether the name of this file's result is on the disk as soon as it is in its folder: the names of the folders that it
  /// lies in are, from the one of all results on. An earlier run, which was killed, may have made one and no more.
  [[nodiscard]] bool is_durable(const std::string& name);

  /// Sets permissions and times, once nothing more is put into them. By `everything`, a folder whose original is newer keeps
  /// its time: something was removed there meanwhile.
  void finish();

 private:
  struct Folder {
    std::shared_ptr<const RootedFolder> from;  ///< where it is to be found
    std::optional<FileAttributes> seen{};      ///< by `everything`: when it was first needed
  };

  void remember_folder(const std::string& name);
  void make_with_parents(const std::string& name);
  void make_one(const std::string& name);
  void put_on_new(const std::string& name, int descriptor);
  void put_mode(const Folder& folder, const std::string& name, int descriptor) const;
  void finish_one(const Folder& folder, const std::string& name) const;
  [[nodiscard]] bool is_folder_durable(const std::string& name);

  ResultFolder to_;
  FolderCopying copying_;
  std::shared_ptr<const RootedFolder> from_;  // where folders come as they are needed
  bool has_root_ = true;                      // the folder of the results is a copy of one
  std::mutex mutex_;
  std::map<std::string, Folder> folders_;  // by their names
  std::map<std::string, bool> durable_;    // whether the names of these folders are on the disk
};

}  // namespace phalanx

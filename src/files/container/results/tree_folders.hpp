// The folders of the results get mode, time and attributes of the folders of the files.
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

/// Says what a copy of a folder has of the original.
enum class FolderKeeping : unsigned char {
  nothing,        ///< folders are made as any others
  mode_and_time,  ///< permissions less the umask, and the time
  everything,     ///< owner, permissions, attributes and time, as they were when the folder was first needed
};

/// Returns what `encrypt --each` and `decrypt --each` keep.
[[nodiscard]] inline FolderKeeping kept_of_folders(bool keep) {
  return keep ? FolderKeeping::mode_and_time : FolderKeeping::nothing;
}

struct FolderCopying {
  FolderKeeping keep = FolderKeeping::mode_and_time;
  bool makes = true;          ///< otherwise nothing is made or set
  bool keep_of_found = true;  ///< by `mode_and_time`: sets permissions of folders that were there, too
};

/// This is the folder for the results.
struct ResultFolder {
  std::shared_ptr<const RootedFolder> folder{};  ///< nullptr: there is none, and nothing to do
  bool is_new = false;                           ///< it was not there before
  bool is_durable = true;  ///< not where we made it, or a folder that it lies in, in one that cannot be made durable
};

/// Makes and finishes the folders. An attribute that cannot be read or set is left as it is: that loses nothing. The owner
/// may always enter a copy, and write to it. Each copy is made beneath the one before, so that a symbolic link in the place
/// of a folder leads nowhere. Any number of threads may use it.
class TreeFolders {
 public:
  /// Takes all folders of the files. If these lie in one folder, the folder for the results is the copy of that.
  TreeFolders(const TreeListing& files, const ResultFolder& to, const FolderCopying& copying);

  /// Takes the folders below one folder, as they are needed.
  TreeFolders(std::shared_ptr<const RootedFolder> from, const ResultFolder& to, const FolderCopying& copying);

  /// Makes all folders that are known, empty ones too, before any file. Tells which cannot be made, and why.
  using OnFailure = std::function<void(const std::string& path, const Error& error)>;
  void make_all(const OnFailure& on_failure);

  /// Makes the folder of this file's result, and those it lies in. It comes before a file in it is written, or an old one
  /// removed. Throws Error: usage where a symbolic link is in the place of one, else runtime.
  void make_for(const std::string& name);

  /// Remembers the folder of this file, and those it lies in, as they are now: their results are there.
  void remember(const std::string& name);

  /// Says whether the name of this file's result is on the disk as soon as it is in its folder. That holds where the names
  /// of all folders on its path are on the disk, from the folder of all results on. An earlier run, which was killed, may
  /// have made one and no more.
  [[nodiscard]] bool is_durable(const std::string& name);

  /// Sets permissions and times, once nothing more is put into them. By `everything`, a folder whose original is newer keeps
  /// its time: something was removed there meanwhile.
  void finish();

 private:
  struct Folder {
    std::shared_ptr<const RootedFolder> from;  ///< the folder that it is found below
    std::optional<FileAttributes> seen{};      ///< by `everything`: its attributes when it was first needed
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
  std::shared_ptr<const RootedFolder> from_;  // the folder of files, where folders come as they are needed
  bool has_root_ = true;                      // the folder of the results is a copy of one of the files
  std::mutex mutex_;
  std::map<std::string, Folder> folders_;  // folders by their names
  std::map<std::string, bool> durable_;    // whether the names of these folders are on the disk
};

}  // namespace phalanx

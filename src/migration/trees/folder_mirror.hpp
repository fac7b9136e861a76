// The folders of the containers, which get what the folders of the old files have.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "files/file_attributes.hpp"
#include "migration/trees/source_tree.hpp"

namespace phalanx {

/// Any number of threads may use it. What it cannot read or set is left as it is: that loses nothing.
class FolderMirror {
 public:
  /// Without `preserve` folders are made as any others. The files stay the caller's.
  FolderMirror(const SourceTree& files, bool preserve);

  /// Makes the folder of this file's container, and those it lies in, with the permissions of the old ones: before a file in
  /// it is written, or an old one removed. Its owner may always enter and write. Throws Error: usage where a symbolic link
  /// is in the place of one, else runtime.
  void make_for(const std::string& name);

  /// Throws Error (usage) if what has this name of a container is no regular file: right before it is written.
  void require_free_out(const std::string& container) const { to_.require_free(container); }

  /// Has the folder of this file in mind, whose container is there.
  void remember(const std::string& name);

  /// Whether the name of this file's container is on the disk as soon as it is in its folder: the names of the folders that
  /// it lies in are, from the one of all containers on. An earlier run, which was killed, may have made one and no more.
  [[nodiscard]] bool is_durable(const std::string& name);

  /// Sets the times of all of them, once nothing more is put into them. A folder whose old one is newer keeps its time:
  /// something was removed there meanwhile.
  void set_times();

 private:
  void make(const std::string& folder);
  [[nodiscard]] bool is_folder_durable(const std::string& folder);
  void put_attributes_of(const std::string& folder) const;
  void remember_folder(const std::string& folder);

  const SourceTree& files_;
  RootedFolder to_;
  bool preserve_;
  std::mutex mutex_;
  std::map<std::string, bool> durable_;            // whether the names of these folders are on the disk
  std::map<std::string, FileAttributes> folders_;  // by their names below the old one, without a slash at the end
};

}  // namespace phalanx

// This says where the results of many files go: each beside its file, or all of them below one folder. The folders of a
// migration's containers are of these too.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "files/container/results/tree_folders.hpp"
#include "files/system/input.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

struct ResultPlace {
  std::string path;  ///< the path to write, and for messages
  /// This is the folder of results. With nullptr the file was named, and its result is beside it.
  std::shared_ptr<const RootedFolder> folder;
  std::string name;  ///< below that folder; the path where there is none

  /// Returns the status of the file there, and of a symbolic link itself, or nothing where the name is free. Throws Error as
  /// RootedFolder::look_at does.
  [[nodiscard]] std::optional<struct stat> look() const;

  /// Returns the folder that the file is in, open for it and for the next one. Returns nullptr where it is not there, or the
  /// file was named. Throws Error as RootedFolder::hold_folder_of does.
  [[nodiscard]] std::shared_ptr<const HeldFolder> hold_folder() const {
    return folder ? folder->hold_folder_of(name) : nullptr;
  }

  /// Opens the file there. A symbolic link is not followed, and a pipe not waited for. Throws Error.
  [[nodiscard]] FileDescriptor open(int flags) const;

  /// Opens the regular file there, to be read. Throws Error: usage where it is none, or lies behind a symbolic link.
  [[nodiscard]] Input open_input() const;

  /// Throws Error (usage) where the file there is no regular file, or lies behind a symbolic link.
  void require_free() const { phalanx::require_free(folder.get(), name); }

  /// Throws Error (usage) where the name is longer than one may be there.
  void refuse_long_name() const;
};

/// Returns the place below the folder for the results.
[[nodiscard]] ResultPlace place_in(const ResultFolder& to, const std::string& name);

/// Throws Error (usage) where one of the folders `from` and `to` lies in the other, or both are one. The next run would take
/// results among the files for files, and files among the results for results. `below` are the folders in `from`, as far as
/// they are known, since `to` may be one of them that is mounted elsewhere too. `to` need not be there.
void refuse_overlap(const RootedFolder& from, std::span<const TreeFolder> below, const std::string& to);

/// Makes the folder where it is not there, with all folders that it lies in. Throws Error (runtime).
[[nodiscard]] ResultFolder make_result_folder(const std::string& to);

class ResultPlaces {
 public:
  /// Makes the name of a result from its file's.
  using Rename = std::function<std::string(const std::string& name)>;

  /// `to` is made where it is not there, with all folders it lies in. With nullptr each result is beside its file. `within`
  /// is the folder of all results, where `to` is that of one source among several; nullptr: `to` itself. Throws Error
  /// (usage) where that lies in one of the folders that are read, or one of those in it.
  ResultPlaces(const TreeListing& files, const std::string* to, Rename rename, const std::string* within = nullptr);

  /// Returns the place below the folder for the results.
  [[nodiscard]] ResultPlace at(const std::string& name) const { return place_in(to_, name); }

  /// Returns the place of a file's result. A file in a folder keeps its name below that; a file that was named has its last
  /// name alone.
  [[nodiscard]] ResultPlace place_of(const ListedFile& file) const;

  [[nodiscard]] const RootedFolder* to() const { return to_.folder.get(); }
  [[nodiscard]] const ResultFolder& result_folder() const { return to_; }

 private:
  ResultFolder to_;
  Rename rename_;
};

}  // namespace phalanx

// Where the results of many files go: each beside its file, or all of them below one folder.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "files/container/file/tree_run.hpp"
#include "files/container/trees/tree_folders.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {

struct ResultPlace {
  std::string path;                            ///< as it is written, and for messages
  std::shared_ptr<const RootedFolder> folder;  ///< below which it lies; nullptr: its file was named, and it is beside that
  std::string name;                            ///< below that folder; the path where there is none

  /// What stands there, a link itself; nothing where the name is free. Throws Error as RootedFolder::look_at does.
  [[nodiscard]] std::optional<struct stat> look() const;

  /// Opens what stands there; a link is not followed, and a pipe not waited for. Throws Error.
  [[nodiscard]] FileDescriptor open(int flags) const;

  /// Throws Error (usage) where what stands there is no regular file, or lies behind a link.
  void require_free() const { phalanx::require_free(folder.get(), name); }

  /// Throws Error (usage) where the name is longer than one may be there.
  void refuse_long_name() const;
};

class ResultPlaces {
 public:
  /// How the name of a result follows from its file's.
  using Rename = std::function<std::string(const std::string& name)>;

  /// `to` is made where it is not there, with all folders it lies in; nullptr: each result is beside its file. Throws Error
  /// (usage) where it lies in one of the folders that are read, or one of those in it.
  ResultPlaces(const TreeListing& files, const std::string* to, Rename rename);

  /// Below the folder for the results.
  [[nodiscard]] ResultPlace at(const std::string& name) const;

  /// What lies in a folder keeps its name below that; a file that was named has its last name alone.
  [[nodiscard]] ResultPlace place_of(const ListedFile& file) const;

  [[nodiscard]] const RootedFolder* to() const { return to_.get(); }
  [[nodiscard]] ResultFolder result_folder() const { return {.folder = to_.get(), .is_new = made_to_}; }

 private:
  std::shared_ptr<const RootedFolder> to_;
  bool made_to_ = false;
  Rename rename_;
};

}  // namespace phalanx

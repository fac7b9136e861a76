// The folders of the results, which get what the folders of the files have.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "container/file/tree_run.hpp"
#include "container/trees/result_places.hpp"
#include "files/file_attributes.hpp"

namespace phalanx {

struct FolderCopying {
  bool keep = true;           ///< permissions and times; else folders are made as any others
  bool makes = true;          ///< else nothing is made or set
  bool keep_of_found = true;  ///< permissions of those that were there, too
};

/// What cannot be read or set is left as it is: that loses nothing. Its owner may always enter a copy, and write to it.
class FolderCopies {
 public:
  /// Both stay the caller's. Without a folder for the results there is nothing to do.
  FolderCopies(const TreeListing& files, const ResultPlaces& places, const FolderCopying& copying);

  /// Makes all of them, empty ones too: before any file. Each lies beneath the one before, so that a link in the place of a
  /// folder leads nowhere. Tells which cannot be made, and why.
  using OnFailure = std::function<void(const std::string& path, const Error& error)>;
  void make(const OnFailure& on_failure);

  /// Sets permissions and times, once nothing more is put into them.
  void finish() const;

  /// Whether the files have such a folder.
  [[nodiscard]] bool contains(const std::string& name) const { return folders_.contains(name); }

 private:
  void make_one(const std::string& name);
  void put_mode(const std::string& name, int descriptor) const;

  const RootedFolder* to_;
  FolderCopying copying_;
  bool made_to_;
  bool has_root_ = false;  ///< all files lie in one folder, which the one of the results is a copy of
  std::map<std::string, std::shared_ptr<const RootedFolder>> folders_;  // by their names, and where each is to be found
};

}  // namespace phalanx

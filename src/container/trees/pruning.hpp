// The containers in a folder whose files are gone from the folder that it is the copy of: counted, or removed.
#pragma once

#include <string>
#include <vector>

#include "container/index/tree_index_run.hpp"
#include "container/trees/folder_copies.hpp"
#include "container/trees/made_results.hpp"
#include "container/trees/tree_files.hpp"

namespace phalanx {

/// What is removed is a regular file whose name is a container's of a file that is gone, and which is a container by its
/// header and its length; and folders that are gone, once they are empty. Nothing is removed where a file failed, since what
/// has gone may be the same under a new name; where none was read; nor where the mark (tree_mark.hpp) does not allow it.
/// A kill in between leaves the rest to the next run.
class Pruning {
 public:
  /// After all files of the one folder were taken. All stay the caller's.
  Pruning(const ManyFiles& files, const ResultPlaces& places, const FolderCopies& folders, const MadeResults& made);

  /// It stays the caller's, and hears of what is removed.
  void tell_removed_to(TreeIndexRun& index) { index_ = &index; }

  /// Throws Error where the folder cannot be listed, or its mark not be read or written.
  void run(bool removes, TreeTally& tally);

 private:
  void find();
  [[nodiscard]] std::string why_not(const TreeCounts& counts, const std::string& of_mark) const;
  void require_gone(const std::string& name) const;
  void remove_all(TreeTally& tally);
  void remove_folders() const;

  struct Gone {
    std::string container;  ///< below the folder of the containers
    std::string file;       ///< below the other
    FileStamp stamp;        ///< of the container
  };

  const ManyFiles& files_;
  const ResultPlaces& places_;
  const RootedFolder& from_;
  const RootedFolder& to_;
  const FolderCopies& folders_;
  const MadeResults& made_;
  TreeIndexRun* index_ = nullptr;
  std::vector<Gone> gone_;
  std::vector<std::string> gone_folders_;
};

}  // namespace phalanx

// This writes into the record of a tree what a run knows about the one folder that it sealed.
#pragma once

#include <functional>
#include <string>

#include "files/container/trees/folder_sameness.hpp"
#include "files/container/trees/tree_contents.hpp"
#include "files/container/trees/tree_record.hpp"

namespace phalanx {

class SectionUpdate {
 public:
  /// `section` is that of the folder, entered in the record. `begun` is when the run began, by this machine's clock and
  /// before the files were listed. All stay the caller's.
  SectionUpdate(TreeRecord& record, const TreeSection& section, const TreeContents& contents, const timespec& begun)
      : record_(record), section_(section), contents_(contents), begun_(begun) {}

  /// Takes the files that were found. Others are missing since this run, though files failed: that only makes the record
  /// prove less.
  void take_files(const FoundSources& found);

  /// Says whether this container's file is gone for good, so that neither the record nor an index has to know of it. In a
  /// folder that is not the same no file is: somebody else may have removed the container.
  [[nodiscard]] bool is_gone(const FolderSameness& sameness, const std::string& container) const;

  /// Forgets files that are gone and have no container any more.
  void forget_gone(const FolderSameness& sameness);

  /// Records a mount point when it is first seen. It stays recorded until the user says, by `changed`, that another one is
  /// right. Throws Error (usage) where one of these is not recorded.
  void take_mounts(const FolderSameness& sameness, const Names& changed);

  /// Takes the folders that are there. A folder that is gone, and still has a copy, stays until the copy goes too.
  void take_subfolders();

  /// Takes the last change of a folder. A change while this run lists does not count: another folder may have been changed
  /// before that, unseen.
  void take_latest();

 private:
  [[nodiscard]] bool went_back() const;
  [[nodiscard]] const TreeFolder& folder_holding(const std::string& name) const;

  TreeRecord& record_;
  const TreeSection& section_;
  const TreeContents& contents_;
  timespec begun_;
};

}  // namespace phalanx

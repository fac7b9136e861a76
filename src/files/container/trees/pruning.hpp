// The containers in a folder whose files are gone from the folder that it is the copy of: counted, or removed. And the
// record of what is there.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "files/container/index/tree_index_run.hpp"
#include "files/container/trees/folder_sameness.hpp"
#include "files/container/trees/section_update.hpp"
#include "files/container/trees/tree_contents.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/container/trees/tree_record.hpp"

namespace phalanx {

struct PruneSettings {
  bool removes = false;
  bool writes = true;   ///< else nothing is, and what would be removed is told
  bool renews = false;  ///< the folder is the one of a section, with another identity
  PruneAlso also{};
  /// Hears of each container that a run of this folder made, and that stays though its file is gone.
  std::function<void(const std::string& container, const std::string& file)> on_kept{};
  std::function<std::string(TreeCounts& counts)> wish{};  ///< then: what the record is to have; "": what it has
};

/// What is removed is a regular file that the record says a run of this folder made (tree_record.hpp), is a container by its
/// header and its length, and whose file is gone; from a folder that is the same as before (folder_sameness.hpp), or where
/// something else has its place now. Then folders go that are gone, once they are empty. Nothing is removed where a file
/// failed, since what has gone may be the same under a new name. A kill in between leaves the rest to the next run.
class Pruning {
 public:
  /// After all files of the one folder were taken. All stay the caller's.
  struct Run {
    const TreeListing& files;
    const ResultPlaces& places;
    OutputRegistry& made;
    const FoundSources& found;
    ResultTimes& times;
    bool keeps_times;
    const EachSettingNames& names;
    timespec begun;  ///< by this machine's clock, before the files were listed
  };
  Pruning(const Run& run, const PruneSettings& settings);

  /// It stays the caller's, and hears of what is removed.
  void tell_removed_to(TreeIndexRun& index) { index_ = &index; }

  /// Throws Error where the folder cannot be listed, or its record not be read or written.
  void run(TreeTally& tally);

 private:
  void enter_section();
  void judge_all(const FolderSameness* sameness);
  [[nodiscard]] bool is_as_recorded(const Orphan& orphan, const RecordedFile& file) const;
  [[nodiscard]] FolderSameness::Finding judge(const Orphan& orphan, const FolderSameness* sameness) const;
  [[nodiscard]] std::string why_not(const TreeCounts& counts) const;
  void look_again(const FolderSameness& sameness);
  void require_gone(const std::string& name) const;
  void remove(const Orphan& orphan, TreeTally& tally, OwnRemovals& removals);
  void remove_all(const FolderSameness* sameness, TreeTally& tally);
  void remove_folders(const FolderSameness& sameness);
  void tell_kept(TreeTally& tally);
  void take_wish(TreeCounts& counts);
  void update_section(const FolderSameness& sameness, SectionUpdate& update, bool may_forget, TreeCounts& counts);

  Run run_;
  const PruneSettings& settings_;
  TreeRecord record_;  // other runs are kept from it before anything is listed
  TreeContents contents_;
  const TreeSection* section_ = nullptr;
  TreeIndexRun* index_ = nullptr;
  Names emptied_;  // folders from which this run has removed a container
};

}  // namespace phalanx

// This counts or removes the containers in a folder whose files are gone from the folder that it is the copy of. It also
// writes the record of that folder.
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
  bool writes = true;   ///< otherwise nothing is removed, and the run tells what would be
  bool renews = false;  ///< the folder is the one of a section, with another identity
  PruneAlso also{};
  /// This is called for each container that a run of this folder made, and that stays though its file is gone.
  std::function<void(const std::string& container, const std::string& file)> on_kept{};
  /// This is called then, and returns the wish for the record; "" keeps the present one.
  std::function<std::string(TreeCounts& counts)> wish{};
};

/// Removes a regular file if the record says that a run of this folder made it (tree_record.hpp), and its file is gone. It
/// must be a container by its header and its length. The folder must be the same as before (folder_sameness.hpp), or another
/// file must have the place now. Then folders that are gone and empty go. Nothing is removed where a file failed, since a
/// missing file may be the same under a new name. A kill in between leaves the rest to the next run.
class Pruning {
 public:
  /// Describes the run, after all files of the one folder were taken. All stay the caller's.
  struct Run {
    const TreeListing& files;
    const ResultPlaces& places;
    OutputRegistry& made;
    const FoundSources& found;
    ResultTimes& times;
    bool keeps_times;
    const EachSettingNames& names;
    timespec begun;  ///< when the run began, by this machine's clock, before the files were listed
  };
  Pruning(const Run& run, const PruneSettings& settings);

  /// The index stays the caller's. It is told of the containers that are removed, and has `below` in front of their names.
  void tell_removed_to(TreeIndexRun& index, const std::string& below) {
    index_ = &index;
    below_ = below;
  }

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
  TreeRecord record_;  // it locks other runs out before anything is listed
  TreeContents contents_;
  const TreeSection* section_ = nullptr;
  TreeIndexRun* index_ = nullptr;
  std::string below_;  // in front of each name in the index
  Names emptied_;      // folders from which this run has removed a container
};

}  // namespace phalanx

// The containers in a folder whose files are gone from the folder that it is the copy of: counted, or removed. And the
// record of what is there.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "files/container/index/tree_index_run.hpp"
#include "files/container/trees/folder_sameness.hpp"
#include "files/container/trees/found_file.hpp"
#include "files/container/trees/output_registry.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/container/trees/tree_folders.hpp"
#include "files/container/trees/tree_record.hpp"

namespace phalanx {

/// The files of which a run has found containers right, or made them. Any number of threads may add.
class FoundSources {
 public:
  /// `status` is the file's when it was opened.
  void add(const std::string& name, const struct stat& status, int descriptor);
  [[nodiscard]] const std::map<std::string, RecordedSource>& all() const { return sources_; }

 private:
  std::mutex mutex_;
  std::map<std::string, RecordedSource> sources_;
};

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
  struct Orphan {
    std::string container;  ///< below the folder of the containers
    std::string file;       ///< below the other
    FoundFile found;        ///< the container
    FolderSameness::Finding finding{};
  };

  void list_source();
  void list_target();
  void look_at_spelling(const std::string& container);
  void enter_section();
  void take_files();
  [[nodiscard]] bool went_back() const;
  [[nodiscard]] const TreeFolder& folder_holding(const std::string& name) const;
  void take_latest();
  void look_again(const FolderSameness& sameness);
  void forget_gone(const FolderSameness& sameness);
  void take_mounts(const FolderSameness& sameness);
  void take_subfolders();
  void take_wish(TreeCounts& counts);
  [[nodiscard]] bool is_as_recorded(const Orphan& orphan, const RecordedFile& file) const;
  [[nodiscard]] FolderSameness::Finding judge(const Orphan& orphan, const FolderSameness* sameness) const;
  void find_what_is_in_the_way(const FolderSameness& sameness);
  [[nodiscard]] std::string why_not(const TreeCounts& counts) const;
  void require_gone(const std::string& name) const;
  void remove(const Orphan& orphan, TreeTally& tally, OwnRemovals& removals);
  void remove_all(const FolderSameness* sameness, TreeTally& tally);
  void remove_folders(const FolderSameness& sameness);
  [[nodiscard]] std::string why_kept(const FolderSameness::Finding& finding) const;
  void tell_folders_in_the_way(Names& kept, TreeTally& tally) const;
  void tell_kept(TreeTally& tally);

  Run run_;
  const PruneSettings& settings_;
  const RootedFolder& from_;
  const RootedFolder& to_;
  const std::vector<TreeFolder>& folders_;
  TreeRecord record_;
  const TreeSection* section_ = nullptr;
  TreeIndexRun* index_ = nullptr;
  Names others_;              // what is in the folder and is no folder
  Names skipped_;             // of these, what is never sealed: links, pipes, devices
  std::set<ino_t> unsealed_;  // files of which no container was found right or made
  Names found_;               // files of which the containers are right
  Names containers_;          // regular files of the other folder, and its folders
  Names left_;                // of these files, what this run has neither made nor found right
  Names respelled_;           // of these, what this run has made or found right, under a name that no file has
  Names target_folders_;
  Names walls_;    // of these, those with a record of their own
  Names emptied_;  // folders from which this run has removed a container
  std::vector<Orphan> orphans_;
};

}  // namespace phalanx

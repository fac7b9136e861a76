// What lies in a folder and in the folder of its containers, once a run has taken all files.
#pragma once

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "files/container/results/found_file.hpp"
#include "files/container/results/output_registry.hpp"
#include "files/container/trees/folder_sameness.hpp"
#include "files/container/trees/tree_record.hpp"
#include "files/system/tree_listing.hpp"

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

/// A container whose file is gone.
struct Orphan {
  std::string container;  ///< below the folder of the containers
  std::string file;       ///< below the other
  FoundFile found;        ///< the container
  FolderSameness::Finding finding{};

  [[nodiscard]] bool is_to_go() const { return finding.kept == KeptAs::not_kept; }
};

/// One that this run has made or found right is no orphan, whatever its name seems to be: on a file system that takes upper
/// and lower case for the same, that may be spelled as another file was.
struct TreeContents {
  /// Of the one folder that was listed. All stay the caller's. Throws Error (runtime) where the other cannot be listed.
  TreeContents(const TreeListing& files, const ResultPlaces& places, OutputRegistry& made, const FoundSources& found);

  /// The folder on the way to a container, or to a folder of containers, that has a record of its own; "": there is none.
  [[nodiscard]] std::string wall_above(const std::string& name) const;

  const RootedFolder& from;
  const RootedFolder& to;
  const std::vector<TreeFolder>& folders;
  Names others{};              ///< what is in the folder and is no folder
  Names skipped{};             ///< of these, what is never sealed: links, pipes, devices
  std::set<ino_t> unsealed{};  ///< files of which no container was found right or made
  Names found{};               ///< files of which the containers are right
  Names containers{};          ///< regular files of the other folder, and its folders
  Names left{};                ///< of these files, what this run has neither made nor found right
  Names respelled{};           ///< of these, what this run has made or found right, under a name that no file has
  Names target_folders{};
  Names walls{};  ///< of these, those with a record of their own
  std::vector<Orphan> orphans{};

 private:
  void list_source(const TreeListing& files, const FoundSources& sources);
  void list_target(const ResultPlaces& places, OutputRegistry& made);
  void look_at_spelling(const std::string& container);
};

}  // namespace phalanx

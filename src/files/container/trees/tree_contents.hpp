// This lists a folder and the folder of its containers, once a run has taken all files.
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

/// Holds the files whose containers a run has found right, or made. Any number of threads may add.
class FoundSources {
 public:
  /// `status` is the file's when it was opened.
  void add(const std::string& name, const struct stat& status, int descriptor);
  [[nodiscard]] const std::map<std::string, RecordedSource>& all() const { return sources_; }

 private:
  std::mutex mutex_;
  std::map<std::string, RecordedSource> sources_;
};

/// This is a container whose file is gone.
struct Orphan {
  std::string container;  ///< below the folder of the containers
  std::string file;       ///< below the folder of files
  FoundFile found;        ///< the container
  FolderSameness::Finding finding{};

  [[nodiscard]] bool is_to_go() const { return finding.kept == KeptAs::not_kept; }
};

/// A container that this run has made or found right is no orphan, whatever its name seems to be. On a file system that
/// ignores case, it may be spelled as another file was.
struct TreeContents {
  /// Takes the one folder that was listed. All stay the caller's. Throws Error (runtime) where the other folder cannot be
  /// listed.
  TreeContents(const TreeListing& files, const ResultPlaces& places, OutputRegistry& made, const FoundSources& found);

  /// Returns the folder on the way to a container, or to a folder of containers, that has a record of its own, or "".
  [[nodiscard]] std::string wall_above(const std::string& name) const;

  const RootedFolder& from;
  const RootedFolder& to;
  const std::vector<TreeFolder>& folders;
  Names others{};              ///< all in the folder that is no folder
  Names skipped{};             ///< the others that are never sealed: symbolic links, pipes, devices
  std::set<ino_t> unsealed{};  ///< files whose containers were neither found right nor made
  Names found{};               ///< files whose containers are right
  Names containers{};          ///< regular files of the folder of containers, and of its folders
  Names left{};                ///< containers that this run has neither made nor found right
  Names respelled{};           ///< containers that this run has made or found right, under a name that no file has
  Names target_folders{};
  Names walls{};  ///< folders of containers with a record of their own
  std::vector<Orphan> orphans{};

 private:
  void list_source(const TreeListing& files, const FoundSources& sources);
  void list_target(const ResultPlaces& places, OutputRegistry& made);
  void look_at_spelling(const std::string& container);
};

}  // namespace phalanx

// This seals many files, each as a container of its own: beside it, or below a folder that becomes a copy of theirs.
//
// A container has its file's time before it has its name. So a container with the time and the length of its file was made
// whole, of the file as it was then. The next run need not read either, whatever killed the run before.
#pragma once

#include <optional>
#include <phalanx/files/trees.hpp>
#include <string>
#include <vector>

#include "files/container/file/file_sealing.hpp"
#include "files/container/index/tree_index_run.hpp"
#include "files/container/results/earlier_salts.hpp"
#include "files/container/results/found_file.hpp"
#include "files/container/results/output_registry.hpp"
#include "files/container/results/result_places.hpp"
#include "files/container/results/tree_folders.hpp"
#include "files/container/trees/container_standings.hpp"
#include "files/container/trees/other_folders.hpp"
#include "files/container/trees/pruning.hpp"
#include "files/container/trees/sealing_settings.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/container/trees/wish_run.hpp"

namespace phalanx {

class TreeSealer {
 public:
  /// Lists the files. All stay the caller's; `sealing` may still change its job until `run`. Throws Error: usage where the
  /// options do not fit, runtime.
  TreeSealer(const std::vector<std::string>& from, const TreeSealing& sealing, const ProtectedFiles& needed);

  [[nodiscard]] std::uint64_t total_bytes() const { return files_.total_bytes(); }
  /// Returns the paths of the containers, whether they are there or not.
  [[nodiscard]] std::vector<std::string> container_paths() const;

  TreeCounts run(const TreeProgress& how);

  /// Returns the segment that the run has written, where it has an index of its own and came to its end; else generation 0.
  [[nodiscard]] const IndexGeneration& index_generation() const { return generation_; }

 private:
  [[nodiscard]] static bool is_read(const ListedFile& file, const TreeSealing& sealing);
  [[nodiscard]] std::string take(Input& input, const ListedFile& file, const TreeProgress& how, TreeTally& tally);
  [[nodiscard]] bool is_folder_there(const ResultPlace& place) const;
  void settle(const ResultPlace& place, FoundFile& found) const;
  void seal(Input& input, const ListedFile& file, const ResultPlace& place, std::optional<FoundFile> found,
            std::shared_ptr<const HeldFolder> free_in, const OutputRegistry::Source& source, const TreeProgress& how,
            TreeTally& tally);
  [[nodiscard]] bool has_record() const;
  void read_record();
  void require_own(const ListedFile& file, const ResultPlace& place) const;
  [[nodiscard]] SyncState judge_recipients(SyncState state, const ListedFile& file, const ResultPlace& place,
                                           std::optional<FoundFile>& found, Progress& progress);
  void look_for_salts(const ContainerJob& job);
  void take_kept(const std::string& container, const std::string& file, Progress& progress);
  void end(TreeTally& tally, Progress& progress);
  void prune(TreeTally& tally, Progress& progress);
  void finish_index();

  const TreeSealing& sealing_;
  const PruneAlso prune_also_;
  timespec begun_;
  TreeListing files_;
  ResultPlaces places_;
  TreeFolders folders_;
  OutputRegistry made_;
  FoundSources found_;
  ContainerStandings standings_;
  OtherFolders others_;
  WishRun wishes_;
  EarlierSalts salts_;
  IndexGeneration generation_;
};

}  // namespace phalanx

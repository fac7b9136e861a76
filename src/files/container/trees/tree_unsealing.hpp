// This opens many containers, each to a file of its own: beside it, or below a folder that becomes a copy of theirs.
#pragma once

#include <functional>
#include <phalanx/files/trees.hpp>
#include <string>
#include <vector>

#include "files/container/file/file_unsealing.hpp"
#include "files/container/results/found_file.hpp"
#include "files/container/results/output_registry.hpp"
#include "files/container/results/result_places.hpp"
#include "files/container/results/tree_folders.hpp"
#include "files/container/trees/tree_files.hpp"

namespace phalanx {

struct TreeUnsealing {
  /// Reads the bytes before the chunks of the container that is called `name`.
  std::function<ChunkedCipher(Input& input, const std::string& name)> open;
  /// Has the caller's options. Their `update`, `replace` and `keep` are read, and the rest stands here and in
  /// TreeProgress.
  UnsealTreeOptions options{};
  RunOptions engine{};
  const std::string* to = nullptr;      ///< nullptr: each file is beside its container
  const std::string* within = nullptr;  ///< where several sources are opened: the folder for the files of all of them
  std::function<void(const Output&)> on_done{};
  EachSettingNames names{};
};

class TreeUnsealer {
 public:
  /// Lists the containers. All stay the caller's. Throws Error: usage where the options do not fit, runtime.
  TreeUnsealer(const std::vector<std::string>& from, const TreeUnsealing& unsealing, const ProtectedFiles& needed);

  [[nodiscard]] std::uint64_t total_bytes() const { return files_.total_bytes(); }
  [[nodiscard]] const TreeListing& files() const { return files_; }

  TreeCounts run(const TreeProgress& how);

 private:
  [[nodiscard]] std::string take(Input& input, const ListedFile& file, const TreeProgress& how, TreeTally& tally);
  [[nodiscard]] bool is_left(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                             const OutputRegistry::Source& source, Progress& progress);
  [[nodiscard]] bool is_restored(Input& input, const ListedFile& file, const ResultPlace& place, const FoundFile& found,
                                 Progress& progress);
  [[nodiscard]] bool has_content(Input& input, const ListedFile& file, const ResultPlace& place, Progress& progress) const;
  void unseal(Input& input, const ListedFile& file, const ResultPlace& place, std::shared_ptr<const HeldFolder> free_in,
              const OutputRegistry::Source& source, const TreeProgress& how);

  const TreeUnsealing& unsealing_;
  TreeListing files_;
  ResultPlaces places_;
  TreeFolders folders_;
  OutputRegistry made_;
  ResultTimes times_;
  const mode_t umask_ = process_umask();
};

}  // namespace phalanx

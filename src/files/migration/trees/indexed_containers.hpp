// The containers of a run in the index of their folder, where it has one.
#pragma once

#include <string>

#include "files/container/index/tree_index_run.hpp"
#include "files/migration/manifest/manifest.hpp"
#include "files/migration/trees/source_tree.hpp"
#include "files/migration/trees/tree_summary.hpp"

namespace phalanx {

/// Names are those of containers, below their folder. Any number of threads may use it, but for `finish`.
class IndexedContainers {
 public:
  /// All stay the caller's; of the migration it asks for what the index needs. Without an index it does nothing.
  IndexedContainers(Migration& migration, const SourceTree& files, TreeIndexRun* index);

  /// Returns whether the index has the container that stands there now. If so, it keeps its entry.
  [[nodiscard]] bool has(const std::string& name) const;

  /// The container was made, or compared with its old file. Throws Error (authentication) where its header was put back.
  void put(const std::string& name, const MigratedFile& migrated) const;

  /// Takes in what the manifest says is done and the index has no entry for, where it opens for every recipient, and appends
  /// the segment. After all else.
  void finish(const Manifest& manifest, Progress& progress, TreeSummary& summary) const;

 private:
  void take_as_found(const ManifestRecord& record, Progress& progress, TreeSummary& summary) const;

  const Migration& migration_;
  const SourceTree& files_;
  TreeIndexRun* index_;
};

}  // namespace phalanx

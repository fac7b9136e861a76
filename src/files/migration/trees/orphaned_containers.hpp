// Containers of earlier runs whose old files are gone: each is all that is left of its old file.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "files/migration/manifest/manifest.hpp"
#include "files/migration/trees/source_tree.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {

/// Those that the manifest says are done and whose old files are gone. Any number of threads may use it.
class OrphanedContainers {
 public:
  /// Both stay the caller's.
  OrphanedContainers(const Manifest& manifest, const SourceTree& files) : manifest_(manifest), files_(files) {}

  /// Throws Error (usage) where the file `path`, which this is, is the container of another old file than `name`.
  void refuse(const FileIdentity& container, const std::string& path, const std::string& name);

  /// Returns whether the file `path` is all that is left of an old file, which perhaps had this very name.
  [[nodiscard]] bool is_only_copy(const std::string& path);

 private:
  using Names = std::map<FileIdentity, std::string>;
  [[nodiscard]] const Names& orphans();

  const Manifest& manifest_;
  const SourceTree& files_;
  std::mutex mutex_;
  std::optional<Names> orphans_;  // once that was needed
};

}  // namespace phalanx

// What the sealing of a tree is told, and whether that fits.
#pragma once

#include <functional>
#include <phalanx/files/trees.hpp>
#include <string>

#include "files/container/file/file_sealing.hpp"
#include "files/container/index/tree_index_run.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

struct TreeSealing {
  ContainerJob job;  ///< whose binding has no name
  /// As they were given. Of them `binding`, `engine`, `index` and those of its progress are not read: they stand in the job,
  /// here, and in TreeProgress.
  SealTreeOptions options{};
  FileSealing sealing{};                         ///< of each file; `verify` is that of the options
  const std::string* to = nullptr;               ///< nullptr: each container is beside its file
  TreeIndexRun* index = nullptr;                 ///< gets an entry for each container; nullptr: there is none
  std::function<void(const Output&)> on_done{};  ///< a container has its name
  EachSettingNames names{};
};

/// Throws Error: usage where what is asked for does not fit, or not these files; runtime where these cannot be known.
void require_fitting(const TreeListing& files, const TreeSealing& sealing);

/// What is sealed of a file, or was: as the container at its place is called.
[[nodiscard]] ContainerJob job_of(const TreeSealing& sealing, const ListedFile& file, bool bind_name);

/// To what containers are bound: BindingRecord::flags.
[[nodiscard]] unsigned asked_binding_flags(const TreeSealing& sealing);

}  // namespace phalanx

// These are the settings for sealing a tree, and their checks.
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
  ContainerJob job;  ///< its binding has no name
  /// Has the caller's options. Their `binding`, `engine`, `index` and progress are not read: they stand in the job, here,
  /// and in TreeProgress.
  SealTreeOptions options{};
  FileSealing sealing{};            ///< settings for each file; `verify` is that of the options
  const std::string* to = nullptr;  ///< nullptr: each container is beside its file
  /// Where several sources are sealed: the folder of the containers of all of them, and `to` below that. The caller then
  /// appends to the index.
  const std::string* within = nullptr;
  std::string place{};
  TreeIndexRun* index = nullptr;                 ///< gets an entry for each container; nullptr: there is none
  std::function<void(const Output&)> on_done{};  ///< called when a container has its name
  EachSettingNames names{};
};

/// Throws Error: usage where the options do not fit each other, or these files; runtime where that cannot be known.
void require_fitting(const TreeListing& files, const TreeSealing& sealing);

/// Returns the job of a file, for the name of the container at its place.
[[nodiscard]] ContainerJob job_of(const TreeSealing& sealing, const ListedFile& file, bool bind_name);

/// Returns the name that the index has for the container at this place.
[[nodiscard]] std::string name_in_index(const TreeSealing& sealing, const std::string& name);

/// Returns what containers are to be bound to: BindingRecord::flags.
[[nodiscard]] unsigned asked_binding_flags(const TreeSealing& sealing);

}  // namespace phalanx

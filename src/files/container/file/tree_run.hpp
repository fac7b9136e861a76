// A run over the files of a tree: they are taken one after the other, and each fails by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <phalanx/files/cancellation.hpp>
#include <span>
#include <string>
#include <vector>

#include "files/container/format/binding.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/input.hpp"
#include "files/system/paths.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

/// The file in a folder of containers that says of which folder that is the copy (files/container/trees/tree_record.hpp).
inline constexpr const char* tree_record_name = ".phalanx-tree";

/// Why a file is skipped that is none of those that a run over containers is about.
inline constexpr const char* no_container = "no container";

/// Whether a file begins with a container's magic. It stands at its beginning before and after.
[[nodiscard]] bool begins_as_container(Input& input);

/// Whether it is the mark of a folder of containers, by its name: nothing is said of it.
[[nodiscard]] bool is_tree_record(const ListedFile& file);

/// What was called a container and does not begin as one fails when it is opened; another file in a folder is none.
[[nodiscard]] bool is_meant_as_container(Input& input, const ListedFile& file);

/// The name of the file of which encrypting a tree makes this container; nothing where it is no container's name.
[[nodiscard]] std::optional<std::string> without_container_suffix(const std::string& name);

/// The name of this container, to which it may be bound: its own without the suffix.
[[nodiscard]] std::string container_name_of(const ListedFile& file);
/// Throws Error (usage) where one name is given for all containers of a tree, since each has its own.
void require_no_name_of_tree(const Binding& binding);

/// Takes a file, or returns why it is skipped. Throws Error where it fails.
using FileWork = std::function<std::string(Input& input, const ListedFile& file)>;

/// What became of one.
struct FileOutcome {
  bool failed = false;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why;                      ///< it failed, or was skipped; "" if it was taken
};

/// The numbers of files in the order in which they are taken: as they stand, or for an executor the largest first.
[[nodiscard]] std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const RunExecutor* executor);

/// All stay the caller's; what may be nullptr is not needed.
struct TreeRunning {
  std::size_t at_once = 1;                     ///< the work is done by so many threads
  const Cancellation* cancellation = nullptr;  ///< once it is cancelled no more are taken, and nothing is told any more
  RunExecutor* executor = nullptr;             ///< hears what is to come
};

/// Takes the files, and tells what became of each, one at a time; what that throws ends the run.
using OnOutcome = std::function<void(const ListedFile& file, const FileOutcome& outcome)>;
void run_tree(const TreeListing& listing, const FileWork& work, const OnOutcome& on_outcome, const TreeRunning& how = {});

}  // namespace phalanx

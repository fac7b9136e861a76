// A run over the files of a tree takes one after the other, and each fails by itself.
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
#include "files/system/output/shared_sync.hpp"
#include "files/system/paths.hpp"
#include "files/system/tree_listing.hpp"

namespace phalanx {

/// This file in a folder of containers says of which folder that is the copy (files/container/trees/tree_record.hpp).
inline constexpr const char* tree_record_name = ".phalanx-tree";

/// This is why a run over containers skips any other file.
inline constexpr const char* no_container = "no container";

/// Says whether a file begins with a container's magic. It stands at its beginning before and after.
[[nodiscard]] bool begins_as_container(Input& input);

/// Says by its beginning whether a file can be the partial container of a killed run, which may have written none of it.
[[nodiscard]] bool may_be_begun_container(int descriptor);

/// Says whether a file is, by its name, the record of a folder of containers, of which nothing is told.
[[nodiscard]] bool is_tree_record(const ListedFile& file);

/// Says whether a file counts as a container. A file with a container's name that does not begin as one fails when it is
/// opened. Another file in a folder is not a container.
[[nodiscard]] bool is_meant_as_container(Input& input, const ListedFile& file);

/// Returns the name of the file that sealing a tree makes this container of, or nothing where it is no container's name.
[[nodiscard]] std::optional<std::string> without_container_suffix(const std::string& name);

/// Returns the name of this container, to which it may be bound: its own without the suffix.
[[nodiscard]] std::string container_name_of(const ListedFile& file);
/// Throws Error (usage) where one name is given for all containers of a tree, since each has its own.
void require_no_name_of_tree(const Binding& binding);

/// Takes a file, or returns why it is skipped. Throws Error where the file fails.
using FileWork = std::function<std::string(Input& input, const ListedFile& file)>;

/// This is the result of one file.
struct FileOutcome {
  bool failed = false;
  ErrorCode code = ErrorCode::runtime;  ///< set where it failed
  std::string why;                      ///< why it failed or was skipped; "" if it was taken
};

/// All pointers stay the caller's. A pointer that may be nullptr is optional.
struct TreeRunning {
  std::size_t at_once = 1;                     ///< number of threads
  const Cancellation* cancellation = nullptr;  ///< once it is cancelled, no file is taken, and no result is told
  RunExecutor* executor = nullptr;             ///< is told the size of the work before it begins
  SharedSync* shared = nullptr;                ///< takes as many files at once as that is worth, instead of `at_once`
};

/// Returns the numbers of the files in the order in which they are taken, which is as they stand. An executor takes the
/// largest first. Where small files are taken together, the large ones come last.
[[nodiscard]] std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const TreeRunning& how);

/// Takes the files, and tells the result of each, one at a time. If on_outcome throws, the run ends.
using OnOutcome = std::function<void(const ListedFile& file, const FileOutcome& outcome)>;
void run_tree(const TreeListing& listing, const FileWork& work, const OnOutcome& on_outcome, const TreeRunning& how = {});

}  // namespace phalanx

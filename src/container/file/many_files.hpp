// Several files and folders in one run: found, taken one after the other, and each failing by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <phalanx/cancellation.hpp>
#include <span>
#include <string>
#include <vector>

#include "container/format/binding.hpp"
#include "files/input.hpp"
#include "files/list_tree.hpp"
#include "files/paths.hpp"
#include "files/protected_files.hpp"
#include "files/rooted_folder.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

/// The file in a folder of containers that says of which folder that is the copy (container/trees/tree_record.hpp).
inline constexpr const char* tree_record_name = ".phalanx-tree";

/// Why a file is skipped that is none of those that a run over containers is about.
inline constexpr const char* no_container = "no container";

/// Whether a file begins with a container's magic. It stands at its beginning before and after.
[[nodiscard]] bool begins_as_container(Input& input);

/// The numbers of files in the order in which they are taken: as they stand, or by a place for runs the largest first.
[[nodiscard]] std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const RunPlace* place);

/// One of the files.
struct FileOfMany {
  std::string path;
  bool from_folder = false;                    ///< not named itself, but below a folder that is
  std::shared_ptr<const RootedFolder> folder;  ///< which it is opened in, and no link is followed
  std::string name_in_folder;
  std::uint64_t bytes = 0;
  std::string why_not;           ///< below a folder: why it is not taken
  bool failed = false;           ///< a folder that cannot be read
  bool has_no_exchange = false;  ///< where it was listed, no exchange of headers was at work, nor had been killed
  bool has_no_journal = false;   ///< nor was there a journal of a run in place
};

/// Opens it. A pipe that took its place is not waited for, and below a folder no link is followed. Throws Error.
[[nodiscard]] Input open_one(const FileOfMany& file);

/// Whether it is the mark of a folder of containers, by its name: nothing is said of it.
[[nodiscard]] bool is_tree_record(const FileOfMany& file);

/// What was called a container and does not begin as one fails when it is opened; another file in a folder is none.
[[nodiscard]] bool is_meant_as_container(Input& input, const FileOfMany& file);

/// The name of the file of which encrypting many makes this container; nothing where it is no container's name.
[[nodiscard]] std::optional<std::string> without_container_suffix(const std::string& name);

/// What a file is called: its path below the folder that was named, or its last name where it was named itself.
[[nodiscard]] std::string name_of(const FileOfMany& file);
/// The name of this container, to which it may be bound: the same without the suffix.
[[nodiscard]] std::string container_name_of(const FileOfMany& file);
/// Of many containers each has a name of its own. Throws Error (usage) where one is given for all.
void require_name_of_one(const Binding& binding);

/// Takes a file, or returns why it is skipped. Throws Error where it fails.
using FileWork = std::function<std::string(Input& input, const FileOfMany& file)>;

/// What became of one.
struct FileOutcome {
  bool failed = false;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why;                      ///< it failed, or was skipped; "" if it was taken
};

/// A folder that was named, and all that are in it.
struct FolderOfMany {
  std::shared_ptr<const RootedFolder> folder;
  std::vector<TreeFolder> folders;  ///< itself first
};

/// Whether a file that was found in a folder will be read, and not skipped.
using IsRead = std::function<bool(const FileOfMany& file)>;

class ManyFiles {
 public:
  /// Lists the files that are named, and those in the folders that are, as list_tree does. `needed` stays the caller's.
  ManyFiles(std::span<const std::string> names, const ProtectedFiles& needed, const IsRead& is_read = {});

  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] const std::vector<FileOfMany>& files() const { return files_; }
  [[nodiscard]] std::vector<std::string> paths() const;  ///< of those that can be read
  [[nodiscard]] const std::vector<FolderOfMany>& folders() const { return folders_; }
  [[nodiscard]] bool has_named_files() const;  ///< not all lie below folders

  /// The files that are named, and those in folders that `is_read` takes for such, or all: as files that the run needs. None
  /// of them is ever written.
  [[nodiscard]] const ProtectedFiles& inputs() const { return inputs_; }

  /// Takes one after the other, or `at_once`: then the work is done by as many threads. Tells what became of each, one at a
  /// time; what that throws ends the run. Once it is cancelled, no more are taken, and nothing is told of those that ended
  /// by that.
  using OnOutcome = std::function<void(const FileOfMany& file, const FileOutcome& outcome)>;
  void run(const FileWork& work, std::size_t at_once, const OnOutcome& on_outcome,
           const Cancellation* cancellation = nullptr, RunPlace* place = nullptr) const;

 private:
  void add(const std::string& name);
  [[nodiscard]] std::string attempt(const FileOfMany& file, const FileWork& work) const;
  [[nodiscard]] FileOutcome take(const FileOfMany& file, const FileWork& work) const;

  const ProtectedFiles& needed_;
  ProtectedFiles inputs_;
  std::vector<FileOfMany> files_;
  std::vector<FolderOfMany> folders_;
};

}  // namespace phalanx

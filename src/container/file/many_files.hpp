// Several files and folders in one run: found, taken one after the other, and each failing by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/cancellation.hpp>
#include <span>
#include <string>
#include <vector>

#include "files/input.hpp"
#include "files/paths.hpp"
#include "files/protected_files.hpp"
#include "files/rooted_folder.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

inline constexpr const char* container_suffix = ".phalanx";

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
  std::string why_not;  ///< below a folder: why it is not taken
  bool failed = false;  ///< a folder that cannot be read
};

/// What was called a container and does not begin as one fails when it is opened; another file in a folder is none.
[[nodiscard]] bool is_meant_as_container(Input& input, const FileOfMany& file);

/// Takes a file, or returns why it is skipped. Throws Error where it fails.
using FileWork = std::function<std::string(Input& input, const FileOfMany& file)>;

/// What became of one.
struct FileOutcome {
  bool failed = false;
  ErrorCode code = ErrorCode::runtime;  ///< of one that failed
  std::string why;                      ///< it failed, or was skipped; "" if it was taken
};

class ManyFiles {
 public:
  /// Lists the files that are named, and those in the folders that are, as list_tree does. `needed` stays the caller's.
  ManyFiles(std::span<const std::string> names, const ProtectedFiles& needed);

  [[nodiscard]] std::uint64_t total_bytes() const;

  /// All files that are there, as files that the run needs: none of them is ever written.
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
};

}  // namespace phalanx

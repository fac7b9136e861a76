// Several files and folders in one run: found, taken one after the other, and each failing by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/console/command_line_library.hpp"
#include "cli/secrets/secret_source.hpp"
#include "files/input.hpp"
#include "files/protected_files.hpp"
#include "files/rooted_folder.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

inline constexpr const char* container_suffix = ".phalanx";

/// Partial files, records and journals, by their names.
[[nodiscard]] bool is_unfinished(const std::string& name);

/// Whether a file begins with a container's magic. It stands at its beginning before and after.
[[nodiscard]] bool begins_as_container(Input& input);

/// How many files are taken at once: one, or where runs have a place (which may be nullptr) enough for all its workers; few
/// where each takes scrypt's memory.
[[nodiscard]] std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place);

/// The places of files in the order in which they are taken: as they stand, or where runs have a place the largest first.
[[nodiscard]] std::vector<std::size_t> order_of_files(std::span<const std::uint64_t> num_bytes, const RunPlace* place);

/// Failures of many files.
class FailureCount {
 public:
  void add(int exit_code) { ++by_code_[exit_code]; }
  [[nodiscard]] std::uint64_t total() const;
  /// 0 if there is none; the code of all, if they are alike; 1 otherwise.
  [[nodiscard]] int exit_code() const;

 private:
  std::map<int, std::uint64_t> by_code_;
};

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

/// --each, and the files behind IN and OUT, which are files too then. The command has --output, --resume and --bare.
CLI::Option* add_each_option(CLI::App& command, std::vector<std::string>& more, bool& each, const std::string& description);

/// Throws Error (usage) for more than IN and OUT where --each is not given.
void refuse_more_files(const std::vector<std::string>& more);

/// All names that are given with --each. Throws Error (usage) if there is none, or a stream.
[[nodiscard]] std::vector<std::string> names_of_each(const std::string& in, const std::string& out,
                                                     const std::vector<std::string>& more);

/// Takes a file, or returns why it is skipped. Throws Error where it fails.
using FileWork = std::function<std::string(Input& input, const FileOfMany& file)>;

class ManyFiles {
 public:
  /// Lists the files that are named, and those in the folders that are, as list_tree does. `needed` stays the caller's.
  ManyFiles(const std::vector<std::string>& names, const ProtectedFiles& needed, bool quiet);

  [[nodiscard]] std::uint64_t total_bytes() const;

  /// All files that are there, as files that the run needs: none of them is ever written.
  [[nodiscard]] const ProtectedFiles& inputs() const { return inputs_; }

  /// Takes one after the other, or `at_once`: then the work is done by as many threads. Prints a line for each that fails or
  /// is skipped, and at last a summary: `done` is what became of the others. `place`, which may be nullptr,
  /// hears what is to come. Returns the exit code.
  int run(const FileWork& work, const char* done, std::size_t at_once, RunPlace* place) const;

 private:
  struct Outcomes;
  void take(const FileOfMany& file, const FileWork& work, Outcomes& outcomes) const;
  void add(const std::string& name);
  [[nodiscard]] std::string attempt(const FileOfMany& file, const FileWork& work) const;

  const ProtectedFiles& needed_;
  ProtectedFiles inputs_;
  bool quiet_;
  std::vector<FileOfMany> files_;
};

}  // namespace phalanx

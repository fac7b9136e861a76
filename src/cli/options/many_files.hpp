// What the program says of several files and folders in one run, which are found and taken by container/file/many_files.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/console/command_line_library.hpp"
#include "cli/secrets/secret_source.hpp"
#include "container/file/many_files.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

/// How many files are taken at once: one, or where runs have a place (which may be nullptr) enough for all its workers; few
/// where each takes scrypt's memory.
[[nodiscard]] std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place);

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

/// --each, and the files behind IN and OUT, which are files too then. The command has --output, --resume and --bare.
CLI::Option* add_each_option(CLI::App& command, std::vector<std::string>& more, bool& each, const std::string& description);

/// Throws Error (usage) for more than IN and OUT where --each is not given.
void refuse_more_files(const std::vector<std::string>& more);

/// All names that are given with --each. Throws Error (usage) if there is none, or a stream.
[[nodiscard]] std::vector<std::string> names_of_each(const std::string& in, const std::string& out,
                                                     const std::vector<std::string>& more);

/// Takes the files as ManyFiles::run does. Prints a line for each that fails or is skipped, and at last a summary: `done` is
/// what became of the others. `place`, which may be nullptr, hears what is to come. Returns the exit code.
int run_many(const ManyFiles& files, const FileWork& work, const char* done, std::size_t at_once, bool quiet,
             RunPlace* place);

}  // namespace phalanx

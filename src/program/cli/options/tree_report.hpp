// What the program says of the files of a tree, and what it ends with.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "files/container/file/tree_run.hpp"
#include "files/container/trees/tree_files.hpp"
#include "files/pipeline/run_executor.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/message_options.hpp"

namespace phalanx {

/// Prints a line for each file that fails, is skipped, removed or kept; and of a dry run for each that would be done.
[[nodiscard]] OnTreeFileResult say_each(bool quiet, bool dry_run = false);

/// Prints a summary: `done` is what became of those that were done. Returns the exit code.
int say_all(const TreeCounts& counts, const char* done, bool updates, bool quiet, bool dry_run = false);

/// What is said of the files of a run: `done` is what became of those that were taken.
class TreeReport {
 public:
  /// Without a secret, what one container hears all hear: it is said once.
  TreeReport(const char* done, const MessageOptions& messages, bool has_secrets)
      : done_(done), messages_(messages), has_secrets_(has_secrets) {}

  /// Prints a line where one fails or is skipped, but no containers are counted alone, unless `verbose` asks for them.
  void tell(const std::string& path, const FileOutcome& outcome);

  /// Prints a summary, and returns the exit code.
  int finish();

 private:
  const char* done_;
  const MessageOptions& messages_;
  bool has_secrets_;
  FailureCount failures_;
  std::uint64_t num_done_ = 0, num_skipped_ = 0, num_no_containers_ = 0, num_alike_ = 0;
  std::set<std::string> said_;  // of failures, without a secret
};

/// Takes the files as TreeListing::run does, and reports. `executor`, which may be nullptr, hears what is to come. Returns
/// the exit code.
int report_tree(const TreeListing& files, const FileWork& work, TreeReport& report, std::size_t at_once,
                RunExecutor* executor);

}  // namespace phalanx

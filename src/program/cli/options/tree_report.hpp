// This prints what became of the files of a tree, and finds the exit code.
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

/// Prints a line for each file that fails, is skipped, removed, kept or unfinished. For a dry run it prints one for each
/// that would be done, too.
[[nodiscard]] OnTreeFileResult say_each(bool quiet, bool dry_run = false);

/// Prints a summary, in which `done` says what became of those that were done. Returns the exit code.
int say_all(const TreeCounts& counts, const char* done, bool updates, bool quiet, bool dry_run = false);

/// Reports the files of a run. `done` says what became of those that were taken.
class TreeReport {
 public:
  /// Without a secret many containers fail for one reason, which is printed once.
  TreeReport(const char* done, const MessageOptions& messages, bool has_secrets)
      : done_(done), messages_(messages), has_secrets_(has_secrets) {}

  /// Prints a line where a file fails or is skipped. A file that is no container is only counted, unless `verbose` asks for
  /// more.
  void tell(const std::string& path, const FileOutcome& outcome);

  /// Prints a summary, and returns the exit code.
  int finish();

 private:
  const char* done_;
  const MessageOptions& messages_;
  bool has_secrets_;
  FailureCount failures_;
  std::uint64_t num_done_ = 0, num_skipped_ = 0, num_no_containers_ = 0, num_alike_ = 0;
  std::set<std::string> said_;  // the sentences of failures, without a secret
};

/// Takes the files as run_tree does, and reports. Returns the exit code.
int report_tree(const TreeListing& files, const FileWork& work, TreeReport& report, const TreeRunning& how);

}  // namespace phalanx

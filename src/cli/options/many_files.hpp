// The options of `encrypt` and `decrypt` for several files and folders, and what the program says of them. The work is
// container/trees/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/console/command_line_library.hpp"
#include "cli/console/message_options.hpp"
#include "cli/options/general_options.hpp"
#include "cli/secrets/secret_source.hpp"
#include "container/file/many_files.hpp"
#include "container/trees/tree_files.hpp"
#include "pipeline/run_place.hpp"

namespace phalanx {

/// How many files are taken at once: one, or where runs have a place (which may be nullptr) enough for all its workers; few
/// where each takes scrypt's memory.
[[nodiscard]] std::size_t num_files_at_once(const SecretSources& secrets, const RunPlace* place);

/// Failures of many files.
class FailureCount {
 public:
  void add(int exit_code, std::uint64_t number = 1) { by_code_[exit_code] += number; }
  [[nodiscard]] std::uint64_t total() const;
  /// 0 if there is none; the code of all, if they are alike; 1 otherwise.
  [[nodiscard]] int exit_code() const;

 private:
  std::map<int, std::uint64_t> by_code_;
};

/// As given.
struct EachOptions {
  bool each = false;
  std::vector<std::string> more;  ///< the files behind IN and OUT, which are files too then
  std::optional<std::string> to_tree;
  bool no_keep = false;
  bool trust_times = false;
  bool recursive = false;

  [[nodiscard]] const std::string* to() const { return to_tree ? &*to_tree : nullptr; }
};

/// What these options are called.
inline constexpr EachSettingNames tree_option_names{.to = "--to-tree",
                                                    .update = "--update",
                                                    .by_content = "--update=content",
                                                    .keep = "--no-keep",
                                                    .prune = "--prune",
                                                    .update_recipients = "--update-recipients",
                                                    .prune_also = "--prune-also",
                                                    .renew_tree = "--renew-tree",
                                                    .expect_tree = "--expect-tree",
                                                    .dry_run = "--dry-run",
                                                    .index = "--index",
                                                    .output = output_option_names};

/// --each, --to-tree and --no-keep, `description` of the first. The command has --output, --resume and --bare.
CLI::Option* add_each_options(CLI::App& command, EachOptions& options, const std::string& description);

/// What messages about OUT say of options: of --each only where what is there may be an input too, as containers are to
/// `decrypt` and other files to `encrypt`.
[[nodiscard]] OutputSettingNames names_beside(const std::string& out, bool of_containers);

/// Without --each: throws Error (usage) where an option is given that goes with it.
void refuse_without_each(bool is_given, const char* option);

/// Without --each: throws Error (usage) for more than IN and OUT, or where IN is a folder.
void refuse_more_files(const EachOptions& options, const std::string& in, const std::string& command);

/// All names that are given with --each. Throws Error (usage) if there is none, or a stream.
[[nodiscard]] std::vector<std::string> names_of_each(const std::string& in, const std::string& out, const EachOptions& each);

/// Prints a line for each file that fails, is skipped, removed or kept; and of a dry run for each that would be done.
[[nodiscard]] OnTreeFile say_each(bool quiet, bool dry_run = false);

/// Prints a summary: `done` is what became of those that were done. Returns the exit code.
int say_all(const TreeCounts& counts, const char* done, bool updates, bool quiet, bool dry_run = false);

/// What is said of the files of a run: `done` is what became of those that were taken.
class ManyReport {
 public:
  /// Without a secret, what one container hears all hear: it is said once.
  ManyReport(const char* done, const MessageOptions& messages, bool has_secrets)
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

/// Takes the files as ManyFiles::run does, and reports. `place`, which may be nullptr, hears what is to come. Returns the
/// exit code.
int run_many(const ManyFiles& files, const FileWork& work, ManyReport& report, std::size_t at_once, RunPlace* place);

}  // namespace phalanx

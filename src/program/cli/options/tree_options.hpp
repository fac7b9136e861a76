// These are the options of `encrypt` and `decrypt` for several files and folders. Some of `encrypt` are for a folder that
// comes again night after night.
#pragma once

#include <cstddef>
#include <optional>
#include <phalanx/files/trees.hpp>
#include <string>
#include <vector>

#include "files/container/trees/tree_files.hpp"
#include "files/pipeline/run_executor.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/changing_input.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Returns how many files an executor, which may be nullptr, takes at once: enough for all its workers, but few where each
/// file takes scrypt's memory.
[[nodiscard]] std::size_t num_files_at_once(const SecretSources& secrets, const RunExecutor* executor);

/// Says how a run takes many files. With an executor these are as many as its workers need. Otherwise the processors take
/// them, few where each file takes scrypt's memory, and files that wait for the disk wait together.
class FilesAtOnce {
 public:
  /// `num_files` may be open at once.
  FilesAtOnce(const SecretSources& secrets, const RunOptions& engine, std::size_t num_files);

  [[nodiscard]] TreeRunning running();

 private:
  const std::size_t at_once_;
  RunExecutor* const executor_;
  std::optional<SharedSync> shared_;
};

/// Holds the options as given.
struct EachOptions {
  bool each = false;
  std::vector<std::string> more;  ///< the files behind IN and OUT, which are taken as files too
  std::optional<std::string> to_tree;
  bool no_keep = false;
  std::string update;  ///< for `decrypt`; `encrypt` has that of TreeOptions
  bool recursive = false;

  [[nodiscard]] const std::string* to() const { return to_tree ? &*to_tree : nullptr; }
};

/// These are the options' names, for messages.
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
                                                    .changing_input = changing_input_option,
                                                    .index = "--index",
                                                    .output = output_option_names};

/// Adds FILE, --each, --to-tree and --no-keep. `description` is that of --each. The command has --output, --resume and
/// --bare.
CLI::Option* add_each_options(CLI::App& command, EachOptions& options, const std::string& description);

/// Returns the names of options for messages about OUT. They name --each only where what is there may be an input too, as
/// containers are to `decrypt` and other files to `encrypt`.
[[nodiscard]] OutputSettingNames names_beside(const std::string& out, bool of_containers);

/// Throws Error (usage) where an option is given that goes with --each. It is called without --each.
void refuse_without_each(bool is_given, const char* option);

/// Throws Error (usage) for more than IN and OUT, for --to-tree or --recursive, or where IN is a folder. It is called
/// without --each.
void refuse_more_files(const EachOptions& options, const std::string& in, const std::string& command);

/// Returns all names that are given with --each. Throws Error (usage) if there is none, if one is a stream, or if the last
/// one is meant for the results.
[[nodiscard]] std::vector<std::string> names_of_each(const std::string& in, const std::string& out, const EachOptions& each);

/// Reads the value of --update, which is "" where it is not given. Throws Error (usage) for an unknown one.
[[nodiscard]] TreeUpdate read_update(const std::string& update);

/// Holds the options as given: those that the library has, and words that it gets in another form.
struct TreeOptions {
  SealTreeOptions sealing;
  std::string update;
  std::vector<std::string> prune_also;

  /// Returns the options that the sealing reads, which refer to these. Throws Error (usage).
  [[nodiscard]] SealTreeOptions seal_options() const;
};

/// Adds --update, --update-recipients, --prune, --prune-also, --renew-tree, --expect-tree and --dry-run.
void add_tree_options(CLI::App& command, TreeOptions& options);

/// Throws Error (usage) where one of them is given. It is called without --each.
void refuse_tree_options(const TreeOptions& options);

}  // namespace phalanx

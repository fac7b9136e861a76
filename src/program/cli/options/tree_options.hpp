// The options of `encrypt` and `decrypt` for a tree: several files and folders; and those of `encrypt` for a folder that
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

/// How many files are taken at once: one, or where runs have an executor (which may be nullptr) enough for all its workers;
/// few where each takes scrypt's memory.
[[nodiscard]] std::size_t num_files_at_once(const SecretSources& secrets, const RunExecutor* executor);

/// As given.
struct EachOptions {
  bool each = false;
  std::vector<std::string> more;  ///< the files behind IN and OUT, which are files too then
  std::optional<std::string> to_tree;
  bool no_keep = false;
  std::string update;  ///< of `decrypt`; that of `encrypt` is one of TreeOptions
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
                                                    .changing_input = changing_input_option,
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

/// Reads the value of --update, "" where it is not given. Throws Error (usage).
[[nodiscard]] TreeUpdate read_update(const std::string& update);

/// As given: what the library calls them, and words that it gets otherwise.
struct TreeOptions {
  SealTreeOptions sealing;
  std::string update;
  std::vector<std::string> prune_also;

  /// What the sealing reads. It refers to these. Throws Error (usage).
  [[nodiscard]] SealTreeOptions seal_options() const;
};

/// --update, --update-recipients, --prune, --prune-also, --renew-tree, --expect-tree and --dry-run.
void add_tree_options(CLI::App& command, TreeOptions& options);

/// Without --each: throws Error (usage) where one of them is given.
void refuse_tree_options(const TreeOptions& options);

}  // namespace phalanx

// The options of `encrypt --each` for a folder that comes again night after night.
#pragma once

#include <string>
#include <vector>

#include "cli/console/command_line_library.hpp"
#include "container/trees/tree_sealing.hpp"

namespace phalanx {

/// As given.
struct TreeOptions {
  std::string update;
  bool prune = false;
  std::vector<std::string> prune_also;
  bool renew_tree = false;
  bool expect_tree = false;
  bool dry_run = false;
  bool update_recipients = false;
};

/// --update, --update-recipients, --prune, --prune-also, --renew-tree, --expect-tree and --dry-run.
void add_tree_options(CLI::App& command, TreeOptions& options);

/// Without --each: throws Error (usage) where one of them is given.
void refuse_tree_options(const TreeOptions& options);

/// Puts them where the sealing reads them. Throws Error (usage).
void put_tree_options(const TreeOptions& options, TreeSealing& sealing);

}  // namespace phalanx

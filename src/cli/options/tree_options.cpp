#include "cli/options/tree_options.hpp"

#include <CLI/CLI.hpp>
#include <phalanx/error.hpp>

#include "cli/options/many_files.hpp"

namespace phalanx {
namespace {

TreeUpdate update_of(const std::string& update) {
  if (update.empty()) return TreeUpdate::none;
  if (update == "time") return TreeUpdate::by_time;
  if (update == "content") return TreeUpdate::by_content;
  throw Error(ErrorCode::usage, "--update compares the time, or the content with --update=content: give one of them");
}

}  // namespace

void add_tree_options(CLI::App& command, TreeOptions& options) {
  command.add_flag("--update{time}", options.update,
                   "with --each: seal anew what has another size or time than its container; =content opens and compares");
  command.add_flag("--update-recipients", options.update_recipients,
                   "with --update: give containers of earlier runs the recipients that are given now, and no others");
  command.add_flag("--prune", options.prune,
                   "with --each FOLDER --to-tree: remove containers that runs of FOLDER made and whose files are gone");
  command
      .add_option("--prune-also", options.prune_also,
                  "with --prune: what is kept otherwise: emptied (folders of which nothing is left), unrecorded, mount:NAME")
      ->type_name("WHAT");
  command.add_flag("--renew-tree", options.renew_tree,
                   "with --each FOLDER --to-tree: FOLDER is the one of before, restored or moved");
  command.add_flag("--expect-tree", options.expect_tree,
                   "with --each FOLDER --to-tree: end where DIR has no record of earlier runs: its disk may be missing");
  command.add_flag("--dry-run", options.dry_run,
                   "with --each FOLDER --to-tree: say what would be sealed, removed and kept; write nothing");
}

void refuse_tree_options(const TreeOptions& options) {
  refuse_without_each(!options.update.empty(), "--update");
  refuse_without_each(options.update_recipients, "--update-recipients");
  refuse_without_each(options.prune, "--prune");
  refuse_without_each(!options.prune_also.empty(), "--prune-also");
  refuse_without_each(options.renew_tree, "--renew-tree");
  refuse_without_each(options.expect_tree, "--expect-tree");
  refuse_without_each(options.dry_run, "--dry-run");
}

void put_tree_options(const TreeOptions& options, TreeSealing& sealing) {
  sealing.update = update_of(options.update);
  sealing.prune = options.prune;
  sealing.prune_also = read_prune_also(options.prune_also, tree_option_names.prune_also);
  sealing.renew_tree = options.renew_tree;
  sealing.expect_tree = options.expect_tree;
  sealing.dry_run = options.dry_run;
  sealing.update_recipients = options.update_recipients;
}

}  // namespace phalanx

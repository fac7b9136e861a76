#include "program/cli/migrate/tree.hpp"

#include <fmt/format.h>

#include <optional>

#include "files/migration/trees/tree_migration.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/migrate/report.hpp"

namespace phalanx {
namespace {

// Prints what a run does.
class PrintedRun : public TreeObserver {
 public:
  PrintedRun(const MigrateOptions& options, const ChosenEngine& chosen, ProgressStyle style)
      : messages_(options.messages),
        chosen_(chosen),
        style_(style_beside_lines(style, options.messages)),
        report_(line_style_beside(style_, options.json, options.messages.quiet)) {}

  Progress& begin(std::uint64_t num_bytes) override { return progress_.emplace(style_, num_bytes); }

  void on_beginning(const std::string& name, const MigrationBeginning& beginning) override {
    const bool verbose = messages_.verbose;
    const MigrationNotes notes{.label = name + ": ", .verbose = verbose, .findings = verbose, .warnings = !messages_.quiet};
    print_beginning(notes, beginning, chosen_);
  }

  void on_lost_attributes(const std::string& out, const std::vector<std::string>& names) override {
    say_lost_attributes(out, names, messages_.quiet);
  }

  void on_file(const ManifestRecord& record, const MigratedFile& migrated) override { report_.add(record, migrated); }

  void on_stopped_early(ErrorCode most) override { report_.stop_early(most); }

  void print_held() { report_.print_held(); }

  void finish(const TreeSummary& summary, const std::string& manifest_path) {
    progress_->finish();
    report_.finish(summary, manifest_path);
  }

 private:
  const MessageOptions& messages_;
  const ChosenEngine& chosen_;
  ProgressStyle style_;
  MigrationReport report_;
  std::optional<ProgressReport> progress_;
};

// Tells of the index, and returns the number of doubtful headers.
std::uint64_t say_index(const TreeIndexRun& index, const TreeSummary& summary, const MigrateOptions& options) {
  const bool quiet = options.messages.quiet;
  if (summary.num_taken_as_found != 0) {
    print_note(fmt::format("{}: {} of earlier runs are in it from now on, as they were found: each was opened", index.path(),
                           summary.num_taken_as_found),
               quiet);
  }
  if (summary.num_not_indexed != 0) {
    print_error(fmt::format("{}: {} that the manifest has are gone, do not open, or are not those of the index",
                            index.path(), summary.num_not_indexed));
  }
  const std::uint64_t num_doubtful = say_strange_headers(index, summary.index, quiet);
  if (!options.json) print_generation(index.path(), summary.index);
  return num_doubtful;
}

}  // namespace

int print_tree_migration(Migration& migration, const MigrateOptions& options, const ChosenEngine& chosen,
                         ProgressStyle style) {
  TreeMigrationSettings tree = options.tree_options();
  const std::optional<NamedIndex> named = read_named_index(options.index, true);
  std::optional<TreeIndexRun> index;
  if (named) hold_index(*named, index, migration.needed, options.messages.quiet);
  if (index) tree.index = &*index;
  PrintedRun printed(options, chosen, style);
  try {
    const TreeSummary summary = run_tree_migration(migration, tree, printed);
    printed.finish(summary, tree.manifest);
    const std::uint64_t num_doubtful = index ? say_index(*index, summary, options) : 0;
    return exit_code_with_doubts(exit_code_of_all(summary, options.doubt_is_ok), num_doubtful, false);
  } catch (...) {
    printed.print_held();
    throw;
  }
}

}  // namespace phalanx

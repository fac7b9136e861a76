// migration.hpp: migrate_tree.
#include <optional>
#include <phalanx/files/migration.hpp>

#include "engine/host/process_mark.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/migration/trees/tree_calls.hpp"
#include "files/migration/trees/tree_migration.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

TreeFileMigration file_of(const ManifestRecord& record, const MigratedFile& migrated) {
  TreeFileMigration file{.name = record.name, .outcome = record.state, .code = record.code, .why = record.why};
  file.source_bytes = record.in_bytes;
  file.container_bytes = record.out_bytes;
  file.verified = record.verified;
  file.sha256 = migrated.sha256;
  file.found = record.with.found;
  file.doubt = record.doubt;
  file.deleted = record.deleted;
  file.kept = record.kept;
  file.container = record.container();
  return file;
}

// Tells the caller's functions. An exception from them, or a cancellation, ends the run, and fails no file.
class CallingObserver : public TreeObserver {
 public:
  explicit CallingObserver(const TreeMigrationOptions& options)
      : options_(options), progress_(options.on_progress, options.cancellation) {}

  Progress& begin(std::uint64_t /*num_bytes*/) override { return progress_; }
  void require_going() override { progress_.require_going(); }
  void on_file(const ManifestRecord& record, const MigratedFile& migrated) override {
    const CallerRuns away;
    if (options_.on_migrated) options_.on_migrated(file_of(record, migrated));
  }

 private:
  const TreeMigrationOptions& options_;
  ProgressOfMany progress_;
};

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

TreeMigrationCounts migrate_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                 std::span<const ForeignFormat> formats, std::string_view suite,
                                 std::span<const Recipient> recipients, const TreeMigrationOptions& options) {
  if (options.delete_source && !options.verify) {
    throw Error(ErrorCode::usage, "`delete_source` removes what was verified only: do not turn `verify` off");
  }
  Migration migration;
  migration.candidates = candidates_of(formats, options.engine, options.find_wrapping);
  migration.container.suite = &find_suite(suite);
  migration.container.recipients.assign(recipients.begin(), recipients.end());
  migration.container.options = options.engine;
  migration.container.binding = options.binding;
  migration.bind_names = options.bind_names;
  require_no_name_of_tree(options.binding);
  migration.verify = options.verify;
  migration.sha256 = options.sha256;
  migration.preserve = options.preserve;
  TreeMigrationSettings tree{
      .from = require_named(from), .to = require_named(to), .manifest = require_named(manifest), .list = {}};
  tree.options = options;
  std::optional<TreeIndexRun> index;
  if (options.index != nullptr) tree.index = &index.emplace(*options.index);
  CallingObserver observer(options);
  const TreeSummary summary = run_tree_migration(migration, tree, observer);
  return {.num_done = summary.num_done,
          .num_done_before = summary.num_settled,
          .num_failed = summary.num_failed,
          .num_skipped = summary.num_skipped,
          .num_doubtful = summary.num_doubtful,
          .num_deleted = summary.num_deleted,
          .num_kept = summary.num_kept,
          .num_left = summary.num_left,
          .index = summary.index};
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

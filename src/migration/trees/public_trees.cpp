// migration.hpp: migrate_tree.
#include <exception>
#include <mutex>
#include <phalanx/migration.hpp>

#include "migration/trees/tree_migration.hpp"
#include "pipeline/progress_call.hpp"

namespace phalanx {
namespace {

Candidates candidates_of(std::span<const ForeignFormat> formats, const TreeMigrationOptions& options) {
  if (formats.empty()) throw Error(ErrorCode::usage, "no format of the old files is given: give one at least");
  Candidates all;
  for (std::size_t number = 0; number < formats.size(); ++number) {
    const ForeignFormat& format = formats[number];
    const MessagePlan plan = plan_foreign(format, options.engine);
    check_sectors(plan, "sectors.sector_bytes");
    Candidates some = make_candidates(plan, SecretBytes(format.key.empty() ? format.passphrase : format.key));
    const std::string label = "format " + std::to_string(number + 1);
    for (Candidate& candidate : some.list) {
      candidate.secret = number;
      if (formats.size() > 1) {
        candidate.name = candidate.name.empty() ? label : label + ", " + candidate.name;
        candidate.whole_name += ", " + label;
      }
      all.list.push_back(std::move(candidate));
    }
    all.secrets.push_back(std::move(some.secrets.front()));
  }
  all.find_base64 = all.find_salt = options.find_wrapping;
  return all;
}

TreeFileMigration file_of(const ManifestRecord& record, const MigratedFile& migrated) {
  TreeFileMigration file{.name = record.name, .code = record.code, .why = record.why};
  if (record.state == MigrationState::failed) file.outcome = MigratedAs::failed;
  if (record.state == MigrationState::skipped) file.outcome = MigratedAs::skipped;
  file.source_bytes = record.in_bytes;
  file.container_bytes = record.out_bytes;
  file.verified = record.verified;
  file.sha256 = migrated.sha256;
  file.found = record.found;
  file.doubt = record.doubt;
  file.deleted = record.deleted;
  file.kept = record.kept;
  return file;
}

// Tells the caller's functions. What they throw, or a cancellation, ends the run, and fails no file.
class CallingObserver : public TreeObserver, private Progress {
 public:
  explicit CallingObserver(const TreeMigrationOptions& options) : options_(options) {}

  Progress& begin(std::uint64_t /*num_bytes*/) override { return *this; }

  void require_going() override {
    const std::lock_guard lock(mutex_);
    if (thrown_) std::rethrow_exception(thrown_);
    require_not_cancelled(options_.cancellation);
  }

  void on_file(const ManifestRecord& record, const MigratedFile& migrated) override {
    if (options_.on_migrated) options_.on_migrated(file_of(record, migrated));
  }

 private:
  void add(std::uint64_t num_bytes) override {
    require_going();
    if (!options_.on_progress) return;
    const std::lock_guard lock(mutex_);
    try {
      options_.on_progress(num_bytes);
    } catch (...) {
      thrown_ = std::current_exception();
      throw;
    }
  }

  const TreeMigrationOptions& options_;
  std::mutex mutex_;
  std::exception_ptr thrown_;  // by the caller's on_progress
};

}  // namespace

TreeMigrationCounts migrate_tree(const std::string& from, const std::string& to, const std::string& manifest,
                                 std::span<const ForeignFormat> formats, std::string_view suite,
                                 std::span<const Recipient> recipients, const TreeMigrationOptions& options) {
  if (options.delete_source && !options.verify) {
    throw Error(ErrorCode::usage, "`delete_source` removes what was verified only: do not turn `verify` off");
  }
  Migration migration;
  migration.candidates = candidates_of(formats, options);
  migration.container.suite = &find_suite(suite);
  migration.container.recipients.assign(recipients.begin(), recipients.end());
  migration.container.options = options.engine;
  migration.verify = options.verify;
  migration.sha256 = options.sha256;
  migration.preserve = options.preserve;
  TreeOptions tree{.from = from, .to = to, .manifest = manifest, .list = {}};
  tree.force = options.replace;
  tree.delete_source = options.delete_source;
  tree.delete_doubtful = options.delete_doubtful;
  tree.keep_going = options.keep_going;
  tree.num_jobs = options.num_jobs;
  CallingObserver observer(options);
  const TreeSummary summary = migrate_tree(migration, tree, observer);
  return {.num_done = summary.num_done,
          .num_done_before = summary.num_settled,
          .num_failed = summary.num_failed,
          .num_skipped = summary.num_skipped,
          .num_doubtful = summary.num_doubtful,
          .num_deleted = summary.num_deleted,
          .num_kept = summary.num_kept,
          .num_left = summary.num_left};
}

}  // namespace phalanx

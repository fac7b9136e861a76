#include "migration/trees/tree_migration.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "container/file/resume_record.hpp"
#include "container/file/tree_run.hpp"
#include "container/trees/output_registry.hpp"
#include "container/trees/tree_folders.hpp"
#include "files/file_clock.hpp"
#include "files/output/atomic_file.hpp"
#include "files/output/sibling_path.hpp"
#include "files/progress.hpp"
#include "migration/opening_for_all.hpp"
#include "migration/removal_conditions.hpp"
#include "migration/trees/container_names.hpp"
#include "migration/trees/doubtful_before.hpp"
#include "migration/trees/indexed_containers.hpp"
#include "migration/trees/orphaned_containers.hpp"
#include "migration/trees/unopened_files.hpp"
#include "threads/shared_loop.hpp"

namespace phalanx {
namespace {

// What became of a file, for the manifest and for the report.
struct Outcome {
  ManifestRecord record;
  MigratedFile migrated;
  bool unopened = false;
  bool postponed = false;  // until a later save of it would show
  std::string why_kept;
};

constexpr OutputRegistry::Words words_of_containers{
    .is_of = " is already the container of ", .so = ": both names lead to one file there; rename one of the two old files"};

bool is_done(const std::optional<ManifestRecord>& record) { return record && record->state == MigratedAs::done; }

class TreeRun {
 public:
  TreeRun(Migration& migration, const TreeMigrationSettings& options, TreeObserver& observer)
      : migration_(migration),
        options_(options),
        observer_(observer),
        files_(migration.needed, options),
        manifest_(options.manifest, files_.trees(), ManifestUse::append),
        names_(manifest_, options.strip_suffixes),
        orphans_(manifest_, files_),
        outputs_(words_of_containers,
                 [&](const FileIdentity& container, const std::string& path, const OutputRegistry::Source& old) {
                   orphans_.refuse(container, path, old.name);
                 }),
        indexed_(migration, files_, options.index),
        folders_(files_.shared_folder(), files_.result_folder(),
                 {.keep = migration.preserve ? FolderKeeping::everything : FolderKeeping::nothing}) {
    files_.list();
    names_.learn(files_.entries());
    manifest_.add_to(migration.needed);
  }

  TreeSummary run();

 private:
  using Act = void (TreeRun::*)(const ListedFile& entry, Progress& progress);
  void work_on_all(Act act, Progress& progress);
  void take_postponed(Progress& progress);
  void retry_doubtful(Progress& progress);
  void retry(const ListedFile& entry, Progress& progress);
  void take(const ListedFile& entry, Progress& progress);
  [[nodiscard]] Outcome attempt(const ListedFile& entry, bool force, Progress& progress) const;
  void begin_clock(const ListedFile& entry) const;
  void judge_key(Outcome& outcome) const;
  void judge_age(const ListedFile& entry, const Input& input, Outcome& outcome) const;
  [[nodiscard]] MigratedFile migrate(const ListedFile& entry, bool force, Input& input, Progress& progress) const;
  [[nodiscard]] MigratedFile write(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress) const;
  [[nodiscard]] bool is_to_go(const Outcome& outcome) const;
  void finish_file(const ListedFile& entry, Outcome& outcome);
  void remove_source(const ListedFile& entry, Outcome& outcome);
  void recheck_doubtful();
  void count_failures(const Outcome& outcome);
  [[nodiscard]] bool is_settled(const ListedFile& entry, const std::optional<ManifestRecord>& before) const;
  [[nodiscard]] std::uint64_t bytes_to_read() const;
  [[nodiscard]] std::string out_path(const ListedFile& entry) const { return files_.out_path(names_.name_of(entry.name)); }

  const Migration& migration_;
  const TreeMigrationSettings& options_;
  TreeObserver& observer_;
  SourceTree files_;
  Manifest manifest_;
  ContainerNames names_;
  mutable OrphanedContainers orphans_;
  mutable OutputRegistry outputs_;
  IndexedContainers indexed_;
  mutable FileClocks clocks_;
  mutable TreeFolders folders_;
  std::vector<std::size_t> order_;  // in which the entries are taken
  std::set<const ListedFile*> postponed_;
  bool has_waited_ = false;
  std::atomic<bool> is_stopped_{false};
  std::atomic<std::size_t> num_taken_{0};
  SharedLoop loop_;
  std::mutex mutex_;
  std::vector<std::pair<const ListedFile*, Outcome>> doubtful_;  // done, and not vouched for when they were
  std::set<const ListedFile*> doubtful_before_;                  // which an earlier run was in doubt of
  UnopenedFiles unopened_;
  std::mutex telling_;  // one at a time
  TreeSummary summary_;
};

std::uint64_t TreeRun::bytes_to_read() const {
  std::uint64_t bytes = 0;
  for (const ListedFile& entry : files_.entries()) {
    if (entry.is_regular && !is_settled(entry, manifest_.find(entry.name))) bytes += entry.bytes;
  }
  return bytes;
}

TreeSummary TreeRun::run() {
  const std::uint64_t num_bytes = bytes_to_read();
  RunPlace* const place = options_.place;
  if (place != nullptr) place->plan_bytes(num_bytes);
  order_ = order_of_files(files_.listing().sizes(), place);
  Progress& progress = observer_.begin(num_bytes);
  work_on_all(&TreeRun::take, progress);
  take_postponed(progress);
  retry_doubtful(progress);
  recheck_doubtful();
  indexed_.finish(manifest_, progress, summary_);
  folders_.finish();
  summary_.num_left = files_.entries().size() - num_taken_;
  summary_.is_stopped_early = is_stopped_;
  return summary_;
}

void TreeRun::work_on_all(Act act, Progress& progress) {
  loop_.run(num_jobs_of(options_, files_.entries().size()), order_.size(),
            [&](std::size_t number) { (this->*act)(files_.entries()[order_[number]], progress); });
}

// The files whose next save might leave their times as they are: once, at the end, when most of them have grown old enough.
void TreeRun::take_postponed(Progress& progress) {
  if (postponed_.empty() || is_stopped_) return;
  std::erase_if(order_, [&](std::size_t place) { return !postponed_.contains(&files_.entries()[place]); });
  clocks_.wait();
  has_waited_ = true;
  work_on_all(&TreeRun::take, progress);
}

// What an earlier run was in doubt of: at the end, when most is known of the keys that are given now.
void TreeRun::retry_doubtful(Progress& progress) {
  if (doubtful_before_.empty() || is_stopped_) return;
  order_.clear();
  for (std::size_t place = 0; place < files_.entries().size(); ++place) {
    if (doubtful_before_.contains(&files_.entries()[place])) order_.push_back(place);
  }
  work_on_all(&TreeRun::retry, progress);
}

// Whether nothing remains to be done about a file that the manifest says is done.
bool TreeRun::is_settled(const ListedFile& entry, const std::optional<ManifestRecord>& before) const {
  if (!is_done(before)) return false;
  struct stat out {};
  const bool out_stands = ::stat(out_path(entry).c_str(), &out) == 0 && S_ISREG(out.st_mode) &&
                          static_cast<std::uint64_t>(out.st_size) == before->out_bytes;
  const auto old_file = stamp_at(files_.folder().path_of(entry.name));
  if (!out_stands || !old_file) return out_stands;
  const bool is_same = is_source_of(*before, *old_file) && before->kept.empty() && !options_.delete_source;
  return is_same && indexed_.has(names_.name_of(entry.name));
}

void TreeRun::take(const ListedFile& entry, Progress& progress) {
  observer_.require_going();
  ++num_taken_;
  const auto before = manifest_.find(entry.name);
  if (is_settled(entry, before)) {
    folders_.remember(entry.name);
    if (const auto container = identity_at(out_path(entry))) outputs_.add(*container, {.name = entry.name});
    const std::lock_guard lock(telling_);
    ++summary_.num_settled;
    if (!before->doubt.empty() && doubtful_before_.insert(&entry).second) ++summary_.num_doubtful;
    return;
  }
  FileProgress file_progress(progress, entry.bytes, migration_.verify ? 2 : 1);
  Outcome outcome = attempt(entry, options_.force, file_progress);
  if (outcome.postponed) {
    const std::lock_guard lock(mutex_);
    --num_taken_;
    postponed_.insert(&entry);
    return;
  }
  const ManifestRecord& record = outcome.record;
  if (record.state == MigratedAs::failed) observer_.require_going();
  file_progress.finish();
  const std::vector<std::string>& lost = outcome.migrated.lost_attributes;
  if (!lost.empty()) observer_.on_lost_attributes(out_path(entry), lost);
  const bool known = before && before->state == MigratedAs::skipped && record.state == before->state;
  outcome.record.removing = is_to_go(outcome);
  if (!known) manifest_.append(record);
  count_failures(outcome);
  if (record.state == MigratedAs::done && !record.doubt.empty()) {
    const std::lock_guard lock(mutex_);
    doubtful_.emplace_back(&entry, std::move(outcome));
  } else {
    finish_file(entry, outcome);
  }
}

// A container is made anew only where all that the file decrypts to now is vouched for, and its record is of this very file.
// Where that fails, the container and the record stay.
void TreeRun::retry(const ListedFile& entry, Progress& progress) {
  observer_.require_going();
  FileProgress uncounted(progress, 0, 1);
  const SecondLook found = look_again(migration_, files_, entry, manifest_.find(entry.name).value(), uncounted);
  observer_.require_going();
  if (found == SecondLook::nothing_new) return;
  Outcome outcome = attempt(entry, options_.force || found == SecondLook::another_key, uncounted);
  const bool done = is_done(outcome.record);
  if (!done) observer_.require_going();
  if (done && found == SecondLook::vouched_now && !outcome.record.doubt.empty()) return;
  if (done) manifest_.append(outcome.record);
  {
    const std::lock_guard lock(telling_);
    --summary_.num_settled;
    --summary_.num_doubtful;
  }
  finish_file(entry, outcome);
}

// Whether its old file is to be removed now: the manifest says so before, for a kill may come right behind the removal, and
// then a file of another content under the same name.
bool TreeRun::is_to_go(const Outcome& outcome) const {
  const bool deletable = outcome.record.doubt.empty() || options_.delete_doubtful;
  return is_done(outcome.record) && options_.delete_source && deletable;
}

void TreeRun::finish_file(const ListedFile& entry, Outcome& outcome) {
  if (is_to_go(outcome)) remove_source(entry, outcome);
  const std::lock_guard lock(telling_);
  summary_.add(outcome.record);
  observer_.on_file(outcome.record, outcome.migrated);
}

// What was doubtful when it was done may be vouched for by what the same key has opened since.
void TreeRun::recheck_doubtful() {
  for (auto& [entry, outcome] : doubtful_) {
    const std::string doubt_before = outcome.record.doubt;
    judge_key(outcome);
    outcome.record.removing = is_to_go(outcome);
    if (outcome.record.doubt != doubt_before) manifest_.append(outcome.record);
    finish_file(*entry, outcome);
  }
}

// Gives the run up where most files cannot be opened: something is wrong with what all of them have in common.
void TreeRun::count_failures(const Outcome& outcome) {
  const ManifestRecord& record = outcome.record;
  const std::lock_guard lock(mutex_);
  if (record.state == MigratedAs::skipped) return;
  unopened_.add(outcome.unopened, record.code);
  if (options_.keep_going || !unopened_.are_most()) return;
  if (!loop_.stop() && (has_waited_ || postponed_.empty())) return;
  if (is_stopped_.exchange(true)) return;
  observer_.on_stopped_early(unopened_.most_frequent());
}

Outcome TreeRun::attempt(const ListedFile& entry, bool force, Progress& progress) const {
  Outcome outcome;
  ManifestRecord& record = outcome.record;
  record.name = entry.name;
  record.state = MigratedAs::failed;
  record.reason = reason_of(ErrorCode::runtime);
  try {
    if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
    std::optional<Input> input;
    record.why = entry.why_not;
    begin_clock(entry);
    if (entry.is_regular) record.why = files_.why_skipped(entry, input.emplace(entry.open()));
    record.state = record.why.empty() ? MigratedAs::done : MigratedAs::skipped;
    if (record.state == MigratedAs::skipped) return outcome;
    judge_age(entry, *input, outcome);
    if (outcome.postponed) return outcome;
    outcome.migrated = migrate(entry, force, *input, progress);
    record.stripped = names_.stripped_of(entry.name);
    indexed_.put(names_.name_of(entry.name), outcome.migrated);
    record.in_bytes = outcome.migrated.in_bytes;
    record.out_bytes = outcome.migrated.out_bytes;
    record.verified = outcome.migrated.verified;
    record.source = mark_of(outcome.migrated.source);
    judge_key(outcome);
    record.with = outcome.migrated.evidence.with;
    return outcome;
  } catch (const Error& error) {
    const bool is_plaintext = dynamic_cast<const PlaintextFile*>(&error) != nullptr;
    record.code = error.code();
    record.reason = is_plaintext ? "plaintext" : reason_of(error.code(), entry.bytes);
    record.why = error.what();
    outcome.unopened = !is_plaintext && dynamic_cast<const UnopenedFile*>(&error) != nullptr;
  } catch (const std::bad_alloc&) {
    record.why = std::string("out of memory: give fewer ") + options_.names.jobs;
  } catch (const std::exception& error) {
    record.why = error.what();
  }
  record.state = MigratedAs::failed;
  return outcome;
}

void TreeRun::judge_key(Outcome& outcome) const {
  const KeyEvidence& evidence = outcome.migrated.evidence;
  outcome.record.doubt = migration_.trials.doubt(evidence);
  outcome.record.key = {};
  if (outcome.record.doubt.empty()) return;
  outcome.record.key = migration_.trials.count_of(evidence.with.candidate);
  outcome.record.key.failed = std::max(outcome.record.key.failed, evidence.num_failed_before);
}

// Before the file is opened: what is saved from then on has a later time, or the same.
void TreeRun::begin_clock(const ListedFile& entry) const {
  if (!options_.delete_source || !entry.is_regular) return;
  const std::string folder = parent_name_of(entry.name);
  clocks_.begin(entry.identity.device, files_.folder().path_of(folder), [&] {
    folders_.remember(entry.name);  // before something is made in it
    return files_.folder().open(folder, O_PATH | O_DIRECTORY);
  });
}

// A file that goes must be one whose next save shows: it is waited for, once, or kept.
void TreeRun::judge_age(const ListedFile& entry, const Input& input, Outcome& outcome) const {
  if (!options_.delete_source) return;
  const FileStamp stamp = migration_.removals.before_removals(FileStamp(input.status()));
  const FileAge age = clocks_.judge(stamp, files_.folder().path_of(entry.name));
  outcome.postponed = age.is_young && !has_waited_;
  outcome.why_kept = age.why_kept;
}

MigratedFile TreeRun::migrate(const ListedFile& entry, bool force, Input& input, Progress& progress) const {
  MigrationTarget target{
      .out = out_path(entry),
      .name = name_of_container(names_.name_of(entry.name)),
      .made_up = true,
      .force = force,
      .resume = !force,
      .discard_errors = true,
      .on_beginning = [&](const MigrationBeginning& beginning) { observer_.on_beginning(entry.name, beginning); },
      .names = options_.names.output};
  const std::string container = names_.unshared_name_of(entry.name);
  files_.refuse_long_name(container);
  folders_.make_for(entry.name);
  files_.to().require_free(container);
  const std::string& path = target.out;
  const auto before = manifest_.find(entry.name);
  if (force && !options_.force && !(is_done(before) && is_source_of(*before, FileStamp(input.status()))))
    throw Error(ErrorCode::runtime, input.name() + " changed, and its container is not replaced");
  outputs_.refuse_another(path,
                          {.name = entry.name});  // first: it may have the inode of an old file that this run has removed
  files_.refuse_source_as_out(path);
  target.may_replace = !orphans_.is_only_copy(path);
  // Of a run that was killed between the name and the manifest's line, or of another manifest.
  if ((!target.force || !target.may_replace) && identity_at(path)) {
    remove_stale_record(path);
    MigratedFile migrated = compare_migrated(migration_, input, target, progress);
    // It gives the same plaintext as then, and so is the same key.
    if (is_done(before)) migrated.evidence.num_failed_before = before->key.failed;
    outputs_.add(migrated.container.identity, {.name = entry.name});
    return migrated;
  }
  const std::string partial = sibling_path(path, partial_suffix);
  const bool continuing = identity_at(partial).has_value();
  // What another run began may be for other public keys, and then this old file would have to stay.
  const bool may_begin_afresh = continuing && options_.delete_source && !explain_unshown(migration_.container).empty();
  if (may_begin_afresh) static_cast<void>(remove_unfinished_container(path));
  try {
    return write(entry, input, target, progress);
  } catch (const Error& error) {
    // What a run of ours left may be of other keys, or of an IN that has changed since: a fresh start, with fresh keys.
    const bool unfit =
        error.code() == ErrorCode::usage || error.code() == ErrorCode::format || error.code() == ErrorCode::wrong_key;
    if (!continuing || !unfit || dynamic_cast<const UnopenedFile*>(&error) != nullptr) throw;
    if (identity_at(partial) && !remove_unfinished_container(path)) throw;
  }
  input.seek(0);
  return write(entry, input, target, progress);
}

MigratedFile TreeRun::write(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress) const {
  MigratedFile migrated;
  outputs_.make({.name = entry.name}, target.out, [&](const OutputRegistry::Claim& claim) {
    target.on_beginning = [&, say = target.on_beginning](const MigrationBeginning& beginning) {
      say(beginning);
      claim(beginning.file->identity());
    };
    migrated = migrate_file(migration_, input, target, progress);
  });
  return migrated;
}

// Once the container is on the disk under its name, and the manifest says so.
void TreeRun::remove_source(const ListedFile& entry, Outcome& outcome) {
  const std::string out = out_path(entry);
  const auto check = [&] {
    outcome.migrated.is_out_durable = outcome.migrated.is_out_durable && folders_.is_durable(entry.name);
    require_container(out, outcome.migrated,
                      {.delete_volatile = options_.delete_volatile, .volatile_setting = options_.names.delete_volatile});
  };
  try {
    if (!outcome.why_kept.empty()) throw KeptFile(outcome.why_kept);
    files_.folder().remove(entry.name, outcome.migrated.source, check, migration_.removals);
    outcome.record.deleted = true;
  } catch (const KeptFile& kept) {
    outcome.record.kept = kept.what();
  } catch (const Error& error) {
    outcome.record.state = MigratedAs::failed;
    outcome.record.code = error.code();
    outcome.record.reason = "not removed";
    outcome.record.why = std::string("the container is complete, but ") + error.what();
  }
  manifest_.append(outcome.record);
}

}  // namespace

TreeSummary migrate_tree(Migration& migration, const TreeMigrationSettings& options, TreeObserver& observer) {
  return TreeRun(migration, options, observer).run();
}

}  // namespace phalanx

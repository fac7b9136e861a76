#include "files/migration/trees/tree_migration.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/threads/shared_loop.hpp"
#include "files/container/file/tree_run.hpp"
#include "files/migration/trees/doubtful_before.hpp"
#include "files/migration/trees/file_attempts.hpp"
#include "files/system/progress.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_jobs = 1024;

bool is_done(const std::optional<ManifestRecord>& record) { return record && record->state == MigratedAs::done; }

// Where it cannot be known, the attempt at the file says what is wrong.
bool stands(const ResultPlace& container, std::uint64_t num_bytes) {
  try {
    const std::optional<struct stat> out = container.look();
    return out && S_ISREG(out->st_mode) && static_cast<std::uint64_t>(out->st_size) == num_bytes;
  } catch (const Error&) {
    return false;
  }
}

class TreeRun {
 public:
  TreeRun(Migration& migration, const TreeMigrationSettings& settings, TreeObserver& observer)
      : migration_(migration),
        settings_(settings),
        observer_(observer),
        files_(migration.needed, settings),
        manifest_(settings.manifest, files_.trees(), ManifestUse::append),
        names_(manifest_, settings.options.strip_suffixes),
        indexed_(migration, files_, settings.index),
        shared_(num_jobs_of(settings, most_jobs), SharedSync::num_files_together()),
        attempts_({migration, settings, observer, files_, manifest_, names_, indexed_, shared()}) {
    files_.list();
    names_.learn(files_.entries());
    manifest_.add_to(migration.needed);
  }

  TreeSummary run();

 private:
  using Act = std::function<void(const ListedFile& entry)>;
  // One job takes one file after the other, as it was asked for.
  [[nodiscard]] SharedSync* shared() {
    return settings_.executor == nullptr && settings_.options.num_jobs != 1 ? &shared_ : nullptr;
  }
  void work_on(const std::vector<std::size_t>& order, const Act& act);
  [[nodiscard]] std::vector<std::size_t> order_of(const std::set<const ListedFile*>& chosen) const;
  void put_failures_last();
  void take(const ListedFile& entry, Progress& progress);
  void note_settled(const ListedFile& entry, const ManifestRecord& before);
  void retry(const ListedFile& entry, Progress& progress);
  void finish_file(const ListedFile& entry, FileAttempt& attempt);
  void recheck_doubtful();
  void count_failures(const FileAttempt& attempt);
  [[nodiscard]] bool is_settled(const ListedFile& entry, const std::optional<ManifestRecord>& before) const;
  [[nodiscard]] std::uint64_t bytes_to_read() const;

  const Migration& migration_;
  const TreeMigrationSettings& settings_;
  TreeObserver& observer_;
  SourceTree files_;
  Manifest manifest_;
  ContainerNames names_;
  IndexedContainers indexed_;
  SharedSync shared_;
  FileAttempts attempts_;
  std::vector<std::size_t> order_;  // in which all entries are taken
  std::set<const ListedFile*> postponed_;
  std::atomic_flag is_stopped_;
  std::atomic<std::size_t> num_taken_{0};
  SharedLoop loop_;
  std::mutex mutex_;
  std::vector<std::pair<const ListedFile*, FileAttempt>> doubtful_;  // done, and not vouched for when they were
  std::set<const ListedFile*> doubtful_before_;                      // which an earlier run was in doubt of
  UndecryptableFiles undecryptable_;
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

// Files whose next save might leave their times as they are are taken once more at the end, when most of them have
// grown old enough. Files that an earlier run was in doubt of come last, when most is known of the keys that are given
// now.
TreeSummary TreeRun::run() {
  const std::uint64_t num_bytes = bytes_to_read();
  RunExecutor* const executor = settings_.executor;
  if (executor != nullptr) executor->plan_bytes(num_bytes);
  order_ = order_of_files(files_.listing().sizes(), {.executor = executor, .shared = shared()});
  put_failures_last();
  Progress& progress = observer_.begin(num_bytes);
  const Act take_one = [&](const ListedFile& entry) { take(entry, progress); };
  work_on(order_, take_one);
  if (!postponed_.empty() && !is_stopped_.test()) {
    const std::vector<std::size_t> order = order_of(postponed_);
    attempts_.await_postponed();
    work_on(order, take_one);
  }
  if (!doubtful_before_.empty() && !is_stopped_.test()) {
    std::vector<std::size_t> order = order_of(doubtful_before_);
    std::ranges::sort(order);
    work_on(order, [&](const ListedFile& entry) { retry(entry, progress); });
  }
  recheck_doubtful();
  indexed_.finish(manifest_, progress, summary_);
  attempts_.finish();
  summary_.num_left = files_.entries().size() - num_taken_;
  summary_.is_stopped_early = is_stopped_.test();
  return summary_;
}

void TreeRun::work_on(const std::vector<std::size_t>& order, const Act& act) {
  const std::vector<ListedFile>& entries = files_.entries();
  const std::size_t num_threads = shared() != nullptr ? shared_.num_files() : num_jobs_of(settings_, entries.size());
  const auto take_one = [&](std::size_t number) {
    const ListedFile& entry = entries[order[number]];
    const SharedSync::Turn turn(shared(), entry.bytes);
    if (!is_stopped_.test() && !loop_.has_failed()) act(entry);  // the run may have ended while it waited for its turn
  };
  loop_.run(num_threads, order.size(), take_one, [&](const std::function<void()>& steps) {
    const SharedSync::Presence presence(shared());
    steps();
  });
}

// Files that an earlier run could not open come last. So a run that is given up over them has taken all others, and the same
// command goes on after a kill.
void TreeRun::put_failures_last() {
  const auto is_new = [this](std::size_t number) {
    const auto before = manifest_.find(files_.entries()[number].name);
    return !before || before->state != MigratedAs::failed;
  };
  std::stable_partition(order_.begin(), order_.end(), is_new);
}

std::vector<std::size_t> TreeRun::order_of(const std::set<const ListedFile*>& chosen) const {
  std::vector<std::size_t> order = order_;
  std::erase_if(order, [&](std::size_t number) { return !chosen.contains(&files_.entries()[number]); });
  return order;
}

// Returns whether nothing remains to be done about a file that the manifest says is done.
bool TreeRun::is_settled(const ListedFile& entry, const std::optional<ManifestRecord>& before) const {
  if (!is_done(before)) return false;
  const bool out_stands = stands(attempts_.place_of(entry), before->out_bytes);
  const auto old_file = stamp_at(files_.folder().path_of(entry.name));
  if (!out_stands || !old_file) return out_stands;
  const bool is_same = is_source_of(*before, *old_file) && before->kept.empty() && !settings_.options.delete_source;
  return is_same && indexed_.has(names_.name_of(entry.name));
}

void TreeRun::note_settled(const ListedFile& entry, const ManifestRecord& before) {
  attempts_.keep(entry);
  {
    const std::lock_guard lock(mutex_);
    undecryptable_.add(false, ErrorCode::runtime);
  }
  const std::lock_guard lock(telling_);
  ++summary_.num_settled;
  if (before.doubt && doubtful_before_.insert(&entry).second) ++summary_.num_doubtful;
}

void TreeRun::take(const ListedFile& entry, Progress& progress) {
  observer_.require_going();
  ++num_taken_;
  const auto before = manifest_.find(entry.name);
  if (is_settled(entry, before)) return note_settled(entry, *before);
  FileProgress file_progress(progress, entry.bytes, migration_.verify ? 2 : 1);
  FileAttempt attempt = attempts_.attempt(entry, settings_.options.replace, file_progress);
  if (attempt.postponed) {
    const std::lock_guard lock(mutex_);
    --num_taken_;
    postponed_.insert(&entry);
    return;
  }
  const ManifestRecord& record = attempt.record;
  if (record.state == MigratedAs::failed) observer_.require_going();
  file_progress.finish();
  const std::vector<std::string>& lost = attempt.migrated.lost_attributes;
  if (!lost.empty()) observer_.on_lost_attributes(attempts_.place_of(entry).path, lost);
  const bool known = before && before->state == MigratedAs::skipped && record.state == before->state;
  attempt.record.removing = attempts_.is_to_go(attempt);
  if (!known) manifest_.append(record, shared());
  count_failures(attempt);
  if (attempt.is_done() && record.doubt) {
    const std::lock_guard lock(mutex_);
    doubtful_.emplace_back(&entry, std::move(attempt));
  } else {
    finish_file(entry, attempt);
  }
}

// A container is made anew only where all that the file decrypts to now is vouched for, and its record is of this very file.
// Where that fails, the container and the record stay.
void TreeRun::retry(const ListedFile& entry, Progress& progress) {
  observer_.require_going();
  FileProgress uncounted(progress, 0, 1);
  const RecheckResult found = look_again(migration_, files_, entry, manifest_.find(entry.name).value(), uncounted);
  observer_.require_going();
  if (found == RecheckResult::nothing_new) return;
  FileAttempt attempt =
      attempts_.attempt(entry, settings_.options.replace || found == RecheckResult::another_key, uncounted);
  const bool done = attempt.is_done();
  if (!done) observer_.require_going();
  if (done && found == RecheckResult::vouched_now && attempt.record.doubt) return;
  if (done) manifest_.append(attempt.record, shared());
  {
    const std::lock_guard lock(telling_);
    --summary_.num_settled;
    --summary_.num_doubtful;
  }
  finish_file(entry, attempt);
}

void TreeRun::finish_file(const ListedFile& entry, FileAttempt& attempt) {
  if (attempts_.is_to_go(attempt)) attempts_.remove_source(entry, attempt);
  const std::lock_guard lock(telling_);
  summary_.add(attempt.record);
  observer_.on_file(attempt.record, attempt.migrated);
}

// A file that was doubtful when it was done may be vouched for now, since its key has opened others.
void TreeRun::recheck_doubtful() {
  const SharedSync::Presence presence(shared());
  for (auto& [entry, attempt] : doubtful_) {
    const SharedSync::Turn turn(shared(), 0);
    const Doubt doubt_before = attempt.record.doubt;
    attempts_.judge_key(attempt);
    attempt.record.removing = attempts_.is_to_go(attempt);
    if (attempt.record.doubt != doubt_before) manifest_.append(attempt.record, shared());
    finish_file(*entry, attempt);
  }
}

// Gives the run up where most files cannot be opened: something is wrong with what all of them have in common.
void TreeRun::count_failures(const FileAttempt& attempt) {
  const ManifestRecord& record = attempt.record;
  const std::lock_guard lock(mutex_);
  if (record.state == MigratedAs::skipped) return;
  undecryptable_.add(attempt.undecryptable, record.code);
  if (settings_.options.keep_going || !undecryptable_.are_most()) return;
  loop_.stop();
  if (num_taken_ == files_.entries().size() || is_stopped_.test_and_set()) return;
  observer_.on_stopped_early(undecryptable_.most_frequent());
}

}  // namespace

TreeSummary run_tree_migration(Migration& migration, const TreeMigrationSettings& settings, TreeObserver& observer) {
  return TreeRun(migration, settings, observer).run();
}

}  // namespace phalanx

#include "files/migration/trees/file_attempts.hpp"

#include <fcntl.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "files/container/file/resume_record.hpp"
#include "files/migration/opening_for_all.hpp"
#include "files/migration/removal_conditions.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
namespace {

constexpr OutputRegistry::Words words_of_containers{
    .is_of = " is already the container of ", .so = ": both names lead to one file there; rename one of the two old files"};

}  // namespace

FileAttempts::FileAttempts(const Run& run)
    : run_(run),
      orphans_(run.manifest, run.files),
      outputs_(words_of_containers,
               [this](const FileIdentity& container, const std::string& path, const OutputRegistry::Source& old) {
                 orphans_.refuse(container, path, old.name);
               }),
      folders_(run.files.shared_folder(), run.files.result_folder(),
               {.keep = run.migration.preserve ? FolderKeeping::everything : FolderKeeping::nothing}) {}

void FileAttempts::keep(const ListedFile& entry) {
  folders_.remember(entry.name);
  if (const auto container = identity_at(place_of(entry).path)) outputs_.add(*container, {.name = entry.name});
}

void FileAttempts::await_postponed() {
  clocks_.wait();
  has_waited_ = true;
}

FileAttempt FileAttempts::attempt(const ListedFile& entry, bool force, Progress& progress) {
  FileAttempt attempt;
  ManifestRecord& record = attempt.record;
  record.name = entry.name;
  record.state = MigratedAs::failed;
  record.reason = reason_of(ErrorCode::runtime);
  try {
    migrate_or_skip(entry, force, attempt, progress);
    return attempt;
  } catch (const Error& error) {
    const bool is_plaintext = dynamic_cast<const PlaintextFile*>(&error) != nullptr;
    const bool is_other = dynamic_cast<const OtherFile*>(&error) != nullptr;
    record.code = error.code();
    record.reason = is_plaintext ? "plaintext" : is_other ? "another format" : reason_of(error.code(), entry.bytes);
    record.why = error.what();
    attempt.undecryptable = !is_other && dynamic_cast<const UndecryptableFile*>(&error) != nullptr;
  } catch (const std::bad_alloc&) {
    record.why = std::string("out of memory: give fewer ") + run_.settings.names.jobs;
  } catch (const std::exception& error) {
    record.why = error.what();
  }
  record.state = MigratedAs::failed;
  return attempt;
}

void FileAttempts::migrate_or_skip(const ListedFile& entry, bool force, FileAttempt& attempt, Progress& progress) {
  ManifestRecord& record = attempt.record;
  if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
  std::optional<Input> input;
  record.why = entry.why_not;
  begin_clock(entry);
  if (entry.is_regular) record.why = run_.files.why_skipped(entry, input.emplace(entry.open()));
  record.state = record.why.empty() ? MigratedAs::done : MigratedAs::skipped;
  if (record.state == MigratedAs::skipped) return;
  judge_age(entry, *input, attempt);
  if (attempt.postponed) return;
  attempt.migrated = migrate(entry, force, *input, progress);
  record.stripped = run_.names.stripped_of(entry.name);
  run_.indexed.put(run_.names.name_of(entry.name), attempt.migrated);
  record.in_bytes = attempt.migrated.in_bytes;
  record.out_bytes = attempt.migrated.out_bytes;
  record.verified = attempt.migrated.verified;
  record.source = mark_of(attempt.migrated.source);
  judge_key(attempt);
  record.with = attempt.migrated.evidence.with;
}

void FileAttempts::judge_key(FileAttempt& attempt) const {
  const KeyEvidence& evidence = attempt.migrated.evidence;
  attempt.record.doubt = run_.migration.trials.doubt(evidence);
  attempt.record.key = {};
  if (!attempt.record.doubt) return;
  attempt.record.key = run_.migration.trials.count_of(evidence.with.candidate);
  attempt.record.key.failed = std::max(attempt.record.key.failed, evidence.num_failed_before);
}

// Before the file is opened: what is saved from then on has a later time, or the same.
void FileAttempts::begin_clock(const ListedFile& entry) {
  if (!run_.settings.options.delete_source || !entry.is_regular) return;
  const std::string folder = parent_name_of(entry.name);
  clocks_.begin(entry.identity.device, run_.files.folder().path_of(folder), [&] {
    folders_.remember(entry.name);  // before something is made in it
    return run_.files.folder().open(folder, O_PATH | O_DIRECTORY);
  });
}

// A file that goes must be one whose next save shows: it is waited for, once, or kept.
void FileAttempts::judge_age(const ListedFile& entry, const Input& input, FileAttempt& attempt) {
  if (!run_.settings.options.delete_source) return;
  const FileStamp stamp = run_.migration.removals.before_removals(FileStamp(input.status()));
  const FileAge age = clocks_.judge(stamp, run_.files.folder().path_of(entry.name));
  attempt.postponed = age.is_young && !has_waited_;
  attempt.why_kept = age.why_kept;
}

void FileAttempts::require_replaceable(const ListedFile& entry, bool force, const Input& input) const {
  if (!force || run_.settings.options.replace) return;
  const auto before = run_.manifest.find(entry.name);
  const bool is_same = before && before->state == MigratedAs::done && is_source_of(*before, FileStamp(input.status()));
  if (!is_same) throw Error(ErrorCode::runtime, input.name() + " changed, and its container is not replaced");
}

MigratedFile FileAttempts::migrate(const ListedFile& entry, bool force, Input& input, Progress& progress) {
  MigrationTarget target{
      .out = place_of(entry).path,
      .name = name_of_container(run_.names.name_of(entry.name)),
      .made_up = true,
      .force = force,
      .resume = !force,
      .discard_errors = true,
      .shared = run_.shared,
      .on_beginning = [&](const MigrationBeginning& beginning) { run_.observer.on_beginning(entry.name, beginning); },
      .names = run_.settings.names.output};
  const ResultPlace place = run_.files.place_of(run_.names.unshared_name_of(entry.name));
  place.refuse_long_name();
  folders_.make_for(entry.name);
  place.require_free();
  const std::string& path = target.out;
  require_replaceable(entry, force, input);
  // Another's is refused first: it may have the inode of an old file that this run has removed.
  outputs_.refuse_another(path, {.name = entry.name});
  run_.files.refuse_source_as_out(path);
  target.may_replace = !orphans_.is_only_copy(path);
  // It may be of a run that was killed between the name and the manifest's line, or of another manifest.
  if ((target.force && target.may_replace) || !identity_at(path)) return make(entry, input, target, progress);
  remove_stale_record(path);
  MigratedFile migrated = compare_migrated(run_.migration, input, target, progress);
  // It gives the same plaintext as then, and so is the same key.
  const auto before = run_.manifest.find(entry.name);
  if (before && before->state == MigratedAs::done) migrated.evidence.num_failed_before = before->key.failed;
  outputs_.add(migrated.container.identity, {.name = entry.name});
  return migrated;
}

// A container that is bound to its name has another version.
void FileAttempts::look_for_salts(const std::string& name) {
  ContainerJob job = run_.migration.container;
  if (run_.migration.bind_names) job.binding = placed_at(job.binding, name);
  salts_.look_once(job, [this, i = std::size_t{0}]() mutable -> std::optional<ResultPlace> {
    const std::vector<ListedFile>& entries = run_.files.entries();
    if (i == entries.size()) return std::nullopt;
    return place_of(entries[i++]);
  });
}

// A small file is begun anew, unless a run of an earlier version has left a record of it.
bool FileAttempts::goes_on(const ListedFile& entry, const MigrationTarget& target) const {
  if (!identity_at(sibling_path(target.out, partial_suffix))) return false;
  return SharedSync::is_large(entry.bytes) || identity_at(sibling_path(target.out, record_suffix)).has_value();
}

MigratedFile FileAttempts::make(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress) {
  look_for_salts(target.name);
  const std::string partial = sibling_path(target.out, partial_suffix);
  const bool continuing = goes_on(entry, target);
  target.is_brief = !continuing && !SharedSync::is_large(entry.bytes);
  target.resume = target.resume && !target.is_brief;
  // A partial container of another run may be for other public keys, and then this old file would have to stay.
  const bool may_begin_afresh =
      continuing && run_.settings.options.delete_source && !explain_unshown(run_.migration.container).empty();
  if (may_begin_afresh) static_cast<void>(remove_unfinished_container(target.out));
  try {
    return write(entry, input, target, progress);
  } catch (const Error& error) {
    // A partial container of an earlier run may be of other keys, or of an IN that has changed since. A fresh start has
    // fresh keys.
    const bool unfit =
        error.code() == ErrorCode::usage || error.code() == ErrorCode::format || error.code() == ErrorCode::wrong_key;
    if (!continuing || !unfit || dynamic_cast<const UndecryptableFile*>(&error) != nullptr) throw;
    if (identity_at(partial) && !remove_unfinished_container(target.out)) throw;
  }
  input.seek(0);
  return write(entry, input, target, progress);
}

MigratedFile FileAttempts::write(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress) {
  MigratedFile migrated;
  outputs_.make({.name = entry.name}, target.out, [&](const OutputRegistry::Claim& claim) {
    target.on_beginning = [&, say = target.on_beginning](const MigrationBeginning& beginning) {
      say(beginning);
      claim(beginning.file->identity());
    };
    migrated = migrate_file(run_.migration, input, target, progress);
  });
  return migrated;
}

bool FileAttempts::is_to_go(const FileAttempt& attempt) const {
  const bool deletable = !attempt.record.doubt || run_.settings.options.delete_doubtful;
  return attempt.is_done() && run_.settings.options.delete_source && deletable;
}

void FileAttempts::remove_source(const ListedFile& entry, FileAttempt& attempt) {
  const std::string out = place_of(entry).path;
  const auto check = [&] {
    attempt.migrated.is_out_durable = attempt.migrated.is_out_durable && folders_.is_durable(entry.name);
    require_container(
        out, attempt.migrated,
        {.delete_volatile = run_.settings.options.delete_volatile, .volatile_setting = run_.settings.names.delete_volatile});
  };
  try {
    if (!attempt.why_kept.empty()) throw KeptFile(attempt.why_kept);
    run_.files.folder().remove(entry.name, attempt.migrated.source, check, run_.migration.removals);
    attempt.record.deleted = true;
  } catch (const KeptFile& kept) {
    attempt.record.kept = kept.what();
  } catch (const Error& error) {
    attempt.record.state = MigratedAs::failed;
    attempt.record.code = error.code();
    attempt.record.reason = "not removed";
    attempt.record.why = std::string("the container is complete, but ") + error.what();
  }
  run_.manifest.append(attempt.record, run_.shared);
}

}  // namespace phalanx

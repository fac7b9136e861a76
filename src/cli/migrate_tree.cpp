#include "cli/migrate_tree.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "cli/migrate_report.hpp"
#include "io/atomic_file.hpp"
#include "io/file_tree.hpp"
#include "io/input.hpp"
#include "io/manifest.hpp"

namespace phalanx {
namespace {

namespace fs = std::filesystem;

constexpr const char* container_suffix = ".phalanx";
constexpr const char* partial_suffix = ".phalanx-partial";
constexpr unsigned usual_jobs = 4;

// An absolute path without links, so that the manifest knows its folders again wherever the command is given.
std::string real_path(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (error) throw Error(ErrorCode::runtime, "cannot use the folder " + folder + ": " + error.message());
  return path.string();
}

// Each folder that is made is made durable, for what is put into it is.
void make_folders(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  make_folders(folder.parent_path());
  fs::create_directory(folder, error);  // another thread may have been faster: no error
  if (error) throw Error(ErrorCode::runtime, "cannot create the folder " + folder.string() + ": " + error.message());
  sync_folder_of(folder.string());
}

bool is_below(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder == "/" ? folder : folder + '/');
}

ManifestTrees make_trees(const MigrateOptions& options) {
  ManifestTrees trees;
  trees.from = real_path(options.from_tree.value_or("."));
  make_folders(fs::absolute(*options.to_tree).lexically_normal());
  trees.to = real_path(*options.to_tree);
  if (is_below(trees.to, trees.from)) {
    throw Error(ErrorCode::usage, "--to-tree lies in --from-tree, and its files would be taken for old ones: name another");
  }
  return trees;
}

// A partial file that cannot be continued is in the way, unless another run is writing it.
void remove_partial(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  ::unlink(path.c_str());
}

bool begins_as_container(const std::string& path) {
  Input input(path);
  std::vector<std::uint8_t> beginning(header_start_bytes);
  beginning.resize(input.read(beginning));
  return is_container(beginning);
}

// What became of a file, for the manifest and for the report.
struct Outcome {
  ManifestRecord record;
  MigratedFile migrated;
};

class TreeRun {
 public:
  TreeRun(const Migration& migration, const MigrateOptions& options)
      : migration_(migration),
        options_(options),
        trees_(make_trees(options)),
        manifest_(*options.manifest, trees_),
        entries_(options.from_list ? list_named(trees_.from, *options.from_list) : list_tree(trees_.from)),
        report_(options.json, options.messages.quiet) {}

  int run(ProgressStyle style);

 private:
  void work(Progress& progress);
  void take(const TreeEntry& entry, Progress& progress);
  [[nodiscard]] Outcome attempt(const TreeEntry& entry, Progress& progress) const;
  [[nodiscard]] std::string why_skipped(const TreeEntry& entry) const;
  [[nodiscard]] MigratedFile migrate(const TreeEntry& entry, Progress& progress) const;
  void remove_source(const TreeEntry& entry, Outcome& outcome);
  [[nodiscard]] bool is_settled(const TreeEntry& entry, const std::optional<ManifestRecord>& before) const;
  [[nodiscard]] std::uint64_t bytes_to_read() const;
  [[nodiscard]] unsigned num_jobs() const;
  [[nodiscard]] std::string in_path(const TreeEntry& entry) const { return trees_.from + '/' + entry.name; }
  [[nodiscard]] std::string out_path(const TreeEntry& entry) const {
    return trees_.to + '/' + entry.name + container_suffix;
  }

  const Migration& migration_;
  const MigrateOptions& options_;
  ManifestTrees trees_;
  Manifest manifest_;
  std::vector<TreeEntry> entries_;
  MigrationReport report_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;  // of the run, not of a file
};

unsigned TreeRun::num_jobs() const {
  const unsigned usual = std::min(usual_jobs, std::max(1u, std::thread::hardware_concurrency()));
  const std::size_t wanted = options_.num_jobs ? static_cast<std::size_t>(*options_.num_jobs) : usual;
  return static_cast<unsigned>(std::min(wanted, std::max<std::size_t>(1, entries_.size())));
}

std::uint64_t TreeRun::bytes_to_read() const {
  std::uint64_t bytes = 0;
  for (const TreeEntry& entry : entries_) {
    if (entry.is_regular && !is_settled(entry, manifest_.find(entry.name))) bytes += entry.bytes;
  }
  return migration_.verify ? 2 * bytes : bytes;
}

int TreeRun::run(ProgressStyle style) {
  Progress progress(style, bytes_to_read());
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < num_jobs(); ++i) threads.emplace_back([&] { work(progress); });
  work(progress);
  for (std::thread& thread : threads) thread.join();
  if (failure_) std::rethrow_exception(failure_);
  progress.finish();
  report_.finish(*options_.manifest);
  return report_.exit_code();
}

void TreeRun::work(Progress& progress) {
  try {
    for (std::size_t i = next_++; i < entries_.size(); i = next_++) take(entries_[i], progress);
  } catch (...) {
    next_ = entries_.size();
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

// Whether nothing remains to be done about a file that the manifest says is done.
bool TreeRun::is_settled(const TreeEntry& entry, const std::optional<ManifestRecord>& before) const {
  if (!before || before->state != MigrationState::done) return false;
  struct stat out {};
  const bool out_stands = ::stat(out_path(entry).c_str(), &out) == 0 && S_ISREG(out.st_mode) &&
                          static_cast<std::uint64_t>(out.st_size) == before->out_bytes;
  if (!out_stands || ::access(in_path(entry).c_str(), F_OK) != 0) return out_stands;
  return entry.bytes == before->in_bytes && !options_.delete_source;
}

void TreeRun::take(const TreeEntry& entry, Progress& progress) {
  const auto before = manifest_.find(entry.name);
  if (is_settled(entry, before)) {
    report_.add_settled();
    return;
  }
  if (entry.is_regular && manifest_.lies_at(in_path(entry))) return;
  Outcome outcome = attempt(entry, progress);
  const ManifestRecord& record = outcome.record;
  const bool known = before && before->state == MigrationState::skipped && record.state == before->state;
  if (!known) manifest_.append(record);
  if (record.state == MigrationState::done && options_.delete_source) remove_source(entry, outcome);
  report_.add(outcome.record, outcome.migrated);
}

Outcome TreeRun::attempt(const TreeEntry& entry, Progress& progress) const {
  Outcome outcome;
  ManifestRecord& record = outcome.record;
  record.name = entry.name;
  record.state = MigrationState::failed;
  record.exit_code = static_cast<int>(ErrorCode::runtime);
  try {
    record.why = why_skipped(entry);
    record.state = record.why.empty() ? MigrationState::done : MigrationState::skipped;
    if (record.state == MigrationState::skipped) return outcome;
    outcome.migrated = migrate(entry, progress);
    record.in_bytes = outcome.migrated.in_bytes;
    record.out_bytes = outcome.migrated.out_bytes;
    record.verified = !outcome.migrated.digest.empty();
    record.note = outcome.migrated.digest_note;
    return outcome;
  } catch (const Error& error) {
    record.exit_code = static_cast<int>(error.code());
    record.why = error.what();
  } catch (const std::bad_alloc&) {
    record.why = "out of memory: give fewer --jobs";
  } catch (const std::exception& error) {
    record.why = error.what();
  }
  record.state = MigrationState::failed;
  return outcome;
}

std::string TreeRun::why_skipped(const TreeEntry& entry) const {
  if (entry.failed) throw Error(ErrorCode::runtime, entry.why_not);
  if (!entry.is_regular) return entry.why_not;
  if (entry.name.ends_with(partial_suffix)) return "an unfinished file of a run that was killed";
  return begins_as_container(in_path(entry)) ? "a container already" : "";
}

MigratedFile TreeRun::migrate(const TreeEntry& entry, Progress& progress) const {
  const bool verbose = options_.messages.verbose;
  const MigrationPaths paths{.in = in_path(entry),
                             .out = out_path(entry),
                             .force = options_.force,
                             .resume = true,
                             .notes = {.label = entry.name + ": ", .verbose = verbose, .findings = verbose}};
  const std::string partial = resolve_links(paths.out) + partial_suffix;
  make_folders(fs::path(paths.out).parent_path());
  std::error_code unknown;
  // Of a run that was killed between the name and the manifest's line, or of another manifest.
  if (!options_.force && fs::exists(paths.out, unknown)) return compare_migrated(migration_, paths, progress);
  if (options_.force) remove_partial(partial);
  const bool continuing = ::access(partial.c_str(), F_OK) == 0;
  try {
    return migrate_file(migration_, paths, progress);
  } catch (const Error&) {
    remove_partial(partial);
    if (!continuing) throw;
  }
  // It may be of other keys, or of an IN that has changed since: a fresh start, with fresh keys.
  try {
    return migrate_file(migration_, paths, progress);
  } catch (const Error&) {
    remove_partial(partial);
    throw;
  }
}

// Once the container is on the disk under its name, and the manifest says so.
void TreeRun::remove_source(const TreeEntry& entry, Outcome& outcome) {
  try {
    delete_source(in_path(entry), outcome.migrated);
    outcome.record.deleted = true;
  } catch (const Error& error) {
    outcome.record.state = MigrationState::failed;
    outcome.record.exit_code = static_cast<int>(error.code());
    outcome.record.why = std::string("the container is complete, but ") + error.what();
  }
  manifest_.append(outcome.record);
}

}  // namespace

int migrate_tree(const Migration& migration, const MigrateOptions& options, ProgressStyle style) {
  return TreeRun(migration, options).run(style);
}

}  // namespace phalanx

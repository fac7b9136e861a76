#include "files/migration/manifest/manifest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/system/line_reader.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/cached_pages.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

constexpr std::size_t max_line_bytes = std::size_t{1} << 16;  // names of 4096 bytes, in text and in hex, and a reason

void check_header(const ManifestHeader& header, const std::string& path) {
  if (!header.is_later) return;
  throw Error(ErrorCode::format, path + " is a manifest of a later version: use the Phalanx that wrote it");
}

void check_trees(const ManifestTrees& written, const ManifestTrees& trees, const std::string& path) {
  if (written.from == trees.from && written.to == trees.to) return;
  throw Error(ErrorCode::usage, path + " is the manifest of " + written.from + " and " + written.to +
                                    ": give those folders, or name another manifest");
}

// Reads a line. The error names its number.
template <class Read>
auto read_line(const Read& read, const std::string& path, std::size_t number) {
  try {
    return read();
  } catch (const Error&) {
    throw Error(ErrorCode::format, path + ": line " + std::to_string(number) + " is damaged: remove that line");
  }
}

}  // namespace

Manifest::Manifest(const std::string& path, const ManifestTrees* trees, ManifestUse use)
    : path_(path.empty() ? "" : resolve_links(path)) {
  const bool appends = use == ManifestUse::append;
  if (!appends && is_missing()) {
    if (use == ManifestUse::preview) return;
    throw Error(ErrorCode::usage,
                path_ + ": there is no manifest of that name: name the one of the run that made the containers");
  }
  struct stat status {};
  file_ = open_file(path_, (appends ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY) | O_NONBLOCK, 0666);
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path_ + " is not a regular file: name another manifest");
  identity_ = FileIdentity(status);
  if (appends && !lock_file(file_.get(), path_)) {
    throw Error(ErrorCode::usage, path_ + " is in use: another run is at work on these files");
  }
  // Records that an earlier run could not make durable may be in the system's memory. This run reads from the disk.
  if (appends) read_from_disk(file_.get());
  read_records(trees);
  if (appends) begin_appending(*trees);
}

bool Manifest::is_missing() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) != 0 && errno == ENOENT;
}

void Manifest::begin_appending(const ManifestTrees& trees) {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
  if (static_cast<std::uint64_t>(status.st_size) > size_bytes_ && !set_size(file_.get(), size_bytes_)) {
    throw_system_error("write", path_);
  }
  if (size_bytes_ == 0) {
    append_line(manifest_header(trees));
    sync(size_bytes_, nullptr);
  }
  sync_folder_of(path_);
}

// A last line without its end is what a crash left of it; the constructor cuts it off.
void Manifest::read_records(const ManifestTrees* trees) {
  LineReader lines(file_.get(), path_, max_line_bytes);
  std::size_t number = 0;
  for (std::string line; lines.next(line);) {
    if (++number == 1) require_beginning(line);
    if (!lines.ended()) break;
    if (number == 1) {
      const ManifestHeader header = read_line([&] { return read_manifest_header(line); }, path_, number);
      check_header(header, path_);
      trees_ = header.trees;
      if (trees != nullptr) check_trees(trees_, *trees, path_);
    } else {
      keep(read_line([&] { return read_manifest_line(line); }, path_, number));
    }
  }
  size_bytes_ = lines.whole_bytes();
}

void Manifest::require_beginning(const std::string& line) const {
  const std::size_t compared = std::min(line.size(), manifest_beginning.size());
  if (line.compare(0, compared, manifest_beginning, 0, compared) == 0) return;
  throw Error(ErrorCode::format, path_ + " is not a manifest of Phalanx: name another file");
}

std::optional<ManifestRecord> Manifest::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = records_.find(name);
  return found == records_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ManifestRecord> Manifest::find_done(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto newest = records_.find(name);
  if (newest == records_.end()) return std::nullopt;
  if (newest->second.state == MigratedAs::done) return newest->second;
  const auto before = done_before_.find(name);
  return before == done_before_.end() ? std::nullopt : std::optional(before->second);
}

void Manifest::for_each(const std::function<void(const ManifestRecord& newest, const ManifestRecord* done)>& act) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, record] : records_) {
    const auto before = done_before_.find(name);
    const bool is_done = record.state == MigratedAs::done;
    act(record, is_done ? &record : before == done_before_.end() ? nullptr : &before->second);
  }
}

void Manifest::for_each_done(const std::function<void(const ManifestRecord&)>& act) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, record] : records_) {
    if (record.state == MigratedAs::done) act(record);
  }
  for (const auto& [name, record] : done_before_) act(record);
}

void Manifest::keep(ManifestRecord record) {
  const bool is_done = record.state == MigratedAs::done;
  ManifestRecord& newest = records_[record.name];
  if (is_done) done_before_.erase(record.name);
  if (!is_done && newest.state == MigratedAs::done && !newest.name.empty()) done_before_[record.name] = std::move(newest);
  newest = std::move(record);
}

void Manifest::append(const ManifestRecord& record, SharedSync* shared) {
  std::uint64_t end = 0;
  {
    const std::lock_guard lock(mutex_);
    require_name();
    append_line(manifest_line(record));
    end = size_bytes_;
  }
  sync(end, shared);
  const std::lock_guard lock(mutex_);
  keep(record);
}

void Manifest::append_line(const std::string& line) {
  if (sync_error_ != 0)
    throw Error(ErrorCode::runtime, path_ + " could not be made durable before: nothing more is written to it");
  try {
    const std::string ended = line + '\n';
    write_all(file_.get(), {reinterpret_cast<const std::uint8_t*>(ended.data()), ended.size()}, path_);
  } catch (const Error&) {
    // No half line is left, as a full disk makes one, for another to follow.
    static_cast<void>(set_size(file_.get(), size_bytes_));
    throw;
  }
  size_bytes_ += line.size() + 1;
}

void Manifest::sync(std::uint64_t end, SharedSync* shared) {
  const auto alone = [&] { return sync_alone(end); };
  const bool is_durable =
      shared == nullptr ? alone() : shared->sync({file_.get(), identity_.device, 0}, alone) != SharedSync::Synced::failed;
  if (!is_durable) throw_system_error("write", path_);
}

// The system reports a failure once, to one of the threads that sync. So one thread at a time syncs, and a failure is a
// failure for all whose lines it may have lost.
bool Manifest::sync_alone(std::uint64_t end) {
  const std::lock_guard syncing(sync_mutex_);
  if (durable_bytes_ >= end) return true;
  std::uint64_t written = 0;
  {
    const std::lock_guard lock(mutex_);
    written = size_bytes_;
  }
  if (sync_error_ == 0 && !sync_data(file_.get())) sync_error_ = errno;
  if (sync_error_ == 0) durable_bytes_ = written;
  errno = sync_error_;
  return sync_error_ == 0;
}

void Manifest::require_name() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && FileIdentity(status) == identity_) return;
  throw Error(ErrorCode::runtime,
              path_ +
                  " was moved, replaced or removed by another program: the run ends, and nothing more is "
                  "migrated without a manifest");
}

}  // namespace phalanx

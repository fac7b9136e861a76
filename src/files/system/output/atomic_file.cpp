#include "files/system/output/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <phalanx/error.hpp>
#include <set>

#include "files/system/output/leftover_file.hpp"
#include "files/system/output/sibling_path.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_in_use(const std::string& partial_path) {
  throw Error(ErrorCode::usage, partial_path + " is in use: another run is writing it");
}

[[noreturn]] void throw_exists(const std::string& path, const OutputSettingNames& names) {
  throw Error(ErrorCode::usage, path + " exists: it is replaced only with " + names.force);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, const AtomicFileOptions& options)
    : path_(std::move(path)),
      partial_path_(sibling_path(path_, partial_suffix)),
      options_(options),
      at_(options_.folder ? options_.folder->descriptor() : AT_FDCWD),
      name_in_(options_.folder ? last_name_of(path_) : path_),
      partial_in_(options_.folder ? last_name_of(partial_path_) : partial_path_),
      umask_(options_.umask ? *options_.umask : process_umask()),
      folder_(options_.shared == nullptr ? open_folder_of(path_) : FileDescriptor()),
      is_kept_(options.resume) {
  if (!options_.resume || !open_existing()) create();
  if (options_.resume) note_.emplace(Interrupted::output_goes_on);
  if (options_.can_resume && !options_.resume) note_.emplace(Interrupted::output_is_lost);
}

AtomicFile::~AtomicFile() {
  if (!process_.is_of_this_process()) return;
  struct stat status {};
  const bool is_empty = fstat(file_.get(), &status) == 0 && status.st_size == 0;  // and not worth keeping
  if (!committed_ && (!is_kept_ || is_empty)) remove_partial();
}

bool AtomicFile::remove_unless_kept() const noexcept {
  if (!committed_ && !is_kept_ && process_.is_of_this_process()) remove_partial();
  struct stat status {};
  return fstatat(at_, partial_in_.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
}

// Returns the user to whom root gives the file in the last moment, and may have done so before a kill.
std::optional<uid_t> AtomicFile::final_owner() const {
  if (options_.is_attacker_writable || geteuid() != 0) return std::nullopt;
  if (!options_.replaced) return options_.heir;
  const auto replaced = read_permissions(path_);
  return replaced ? std::optional(replaced->owner) : std::nullopt;
}

// The lock comes after the name was looked up. In between, the run that held it may have given the file its final name.
bool AtomicFile::open_existing() {
  std::optional<LeftoverFile> left = open_leftover(partial_path_, options_.needed, final_owner());
  if (!left) return false;
  file_ = std::move(left->file);
  identity_ = left->identity;
  struct stat status {};
  lock();
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", partial_path_);
  // A run that was killed at the rename may have opened the file to others.
  if ((status.st_mode & 077) != 0 && fchmod(file_.get(), 0600) != 0)
    throw_system_error("set the permissions of", partial_path_);
  found_bytes_ = expected_bytes_ = static_cast<std::uint64_t>(status.st_size);
  is_found_durable_ = sync_data(file_.get());
  found_source_ = drop_cached_pages(file_.get());
  return true;
}

// The lock protects something only while the name is still the file's. If another run has it, the file is that run's.
void AtomicFile::lock() const {
  if (!lock_file(file_.get(), partial_path_) || identity_of_partial() != identity_) throw_in_use(partial_path_);
}

void AtomicFile::open_new() {
  file_ = FileDescriptor(openat(at_, partial_in_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
}

std::optional<FileIdentity> AtomicFile::identity_of_partial() const { return identity_in(at_, partial_in_, partial_path_); }

void AtomicFile::remove_partial() const noexcept { unlink_in_if_same(at_, partial_in_, identity_); }

void AtomicFile::give_folder_up() const {
  if (options_.folder) options_.folder->give_up();
}

void AtomicFile::create() {
  const SignalBlocker held_back;
  open_new();
  if (!file_.is_open() && errno == EEXIST && options_.replace) {
    remove_stale();
    open_new();
  }
  if (!file_.is_open()) {
    if (errno == ENOENT) give_folder_up();
    if (errno != EEXIST) throw_system_error("create", partial_path_);
    const std::string further = std::string(", or go on from it with ") + options_.names.resume;
    throw Error(ErrorCode::usage, partial_path_ +
                                      " exists: another run is writing it, or a killed one left it; then remove it, "
                                      "replace it with " +
                                      options_.names.force + (options_.can_resume ? further : ""));
  }
  identity_ = identity_of_new(file_.get(), partial_path_);
  try {
    lock();
    if (!options_.resume) removal_.emplace(partial_path_, identity_);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) remove_partial();
    throw;
  }
}

void AtomicFile::require_size() const {
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) throw_system_error("look at", partial_path_);
  if (static_cast<std::uint64_t>(status.st_size) == expected_bytes_) return;
  throw Error(ErrorCode::runtime,
              partial_path_ + " was changed by another program while we wrote it: " + path_ + " is left as it is");
}

// A file has its size before a byte is written, so that its size tells at any time whether another program changed it.
void AtomicFile::make_longer(std::uint64_t num_bytes) {
  if (!set_size(file_.get(), num_bytes)) throw_system_error("write", partial_path_);
  expected_bytes_ = num_bytes;
  is_written_ = true;
}

void AtomicFile::grow(std::uint64_t num_bytes) {
  const std::lock_guard lock(size_mutex_);
  require_size();
  if (num_bytes > expected_bytes_) make_longer(num_bytes);
}

void AtomicFile::reserve(std::uint64_t num_bytes) {
  const std::lock_guard lock(size_mutex_);
  require_size();
  if (num_bytes <= expected_bytes_) return;
  const auto begin = static_cast<off_t>(expected_bytes_), size = static_cast<off_t>(num_bytes - expected_bytes_);
  const int result = call_again([&] { return fallocate(file_.get(), 0, begin, size); });
  if (result == 0) {
    expected_bytes_ = num_bytes;
    is_written_ = true;
    mapping_ = OutputMapping::make(file_.get(), num_bytes);
    return;
  }
  if (errno != EOPNOTSUPP && errno != ENOSYS) throw_system_error("write", partial_path_);
  make_longer(num_bytes);
}

void AtomicFile::write_at(Bytes in, std::uint64_t position) {
  process_.require_this_process();
  {
    const std::lock_guard lock(size_mutex_);
    require_size();
    if (position + in.size() > expected_bytes_) make_longer(position + in.size());
  }
  write_by(mapping_.get(), file_.get(), in, position, partial_path_);
  is_written_ = true;  // behind the write: a sync that began before may have missed it
}

// The system's cache still has the lost bytes, and another sync finds nothing to do.
void AtomicFile::throw_lost() {
  const int error = errno;
  is_kept_ = is_kept_ && found_bytes_ == 0;
  errno = error;
  throw_system_error("write", partial_path_);
}

SharedSync::Synced AtomicFile::make_durable() {
  using Synced = SharedSync::Synced;
  if (options_.shared == nullptr) return sync_whole(file_.get()) ? Synced::file : Synced::failed;
  return options_.shared->sync({file_.get(), identity_.device, expected_bytes_});
}

void AtomicFile::sync() {
  is_written_ = false;
  if (make_durable() == SharedSync::Synced::failed) throw_lost();
}

bool AtomicFile::make_hole(std::uint64_t begin, std::uint64_t end) {
  is_written_ = true;
  const auto hole = [&] {
    return fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                     static_cast<off_t>(end - begin));
  };
  return call_again(hole) == 0;
}

void AtomicFile::begin_anew() {
  mapping_.reset();
  remove_partial();
  file_ = FileDescriptor();
  found_bytes_ = expected_bytes_ = 0;
  is_written_ = true;
  create();
}

void AtomicFile::truncate(std::uint64_t num_bytes) {
  require_size();
  if (num_bytes == expected_bytes_) return;  // bytes that another program cuts off in this instant would come back as zeros
  mapping_.reset();
  if (!set_size(file_.get(), num_bytes)) throw_system_error("write", partial_path_);
  expected_bytes_ = num_bytes;
  is_written_ = true;
}

void AtomicFile::remove_stale() const {
  const FileDescriptor stale(openat(at_, partial_in_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!stale.is_open() || fstat(stale.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (options_.needed != nullptr) options_.needed->refuse(status, partial_path_);
  const bool is_ours = status.st_uid == geteuid() || final_owner() == status.st_uid;
  if (!is_ours || (options_.is_leftover != nullptr && !options_.is_leftover(stale.get()))) return;
  if (!lock_file(stale.get(), partial_path_)) throw_in_use(partial_path_);
  unlink_in_if_same(at_, partial_in_, FileIdentity(status));
}

// From a file that another user planted in our place only the limits pass on. At no moment is more allowed than in the end.
bool AtomicFile::set_permissions(const std::optional<FileAttributes>& kept) const {
  if (kept) return put_permissions(file_.get(), options_.widest ? within(*kept, *options_.widest) : *kept);
  mode_t mode = options_.mode & ~umask_;
  const auto replaced = options_.is_attacker_writable ? read_permissions(path_) : std::nullopt;
  if (replaced) mode &= S_IRWXU | narrowed(replaced->mode);
  return options_.widest ? put_mode_within(file_.get(), mode, *options_.widest) : fchmod(file_.get(), mode) == 0;
}

// The attributes of the old file, where there is one, take the place of those of the replaced file. Its time is not kept,
// since the content is another.
void AtomicFile::set_final_attributes() {
  const bool keeps = options_.replaced && options_.keep_attributes && !options_.is_attacker_writable;
  const std::optional<FileAttributes> replaced = keeps ? read_attributes_at(path_) : std::nullopt;
  const std::optional<FileAttributes>& kept = attributes_ ? attributes_ : replaced;
  if (kept) put_named(file_.get(), *kept);
  std::set<std::string> lost;
  for (const auto& expected : {replaced, attributes_}) {
    if (expected) lost.merge(names_not_on(file_.get(), *expected));
  }
  lost_attributes_.assign(lost.begin(), lost.end());
  const bool keeps_mode = attributes_ || options_.keep_mode;
  if (!set_permissions(keeps_mode ? kept : std::nullopt)) throw_system_error("set the permissions of", partial_path_);
  std::optional<FileAttributes> timed = attributes_;
  if (options_.modified) timed.emplace().modified = *options_.modified;
  if (timed && !put_time(file_.get(), timed->modified)) throw_system_error("set the time of", partial_path_);
}

void AtomicFile::require_partial_name() const {
  if (identity_of_partial() == identity_) return;
  throw Error(ErrorCode::runtime, partial_path_ + " was moved, replaced or removed by another program while we wrote it: " +
                                      path_ + " is left as it is");
}

// Permissions and owner change at the last moment. Until then the file is for its writer alone, who goes on with it after a
// kill.
void AtomicFile::take_name() {
  const SignalBlocker held_back;  // the note is true before and after
  set_final_attributes();
  require_size();
  require_partial_name();
  rename_to_path();
  committed_ = true;
  removal_.reset();
  if (note_) note_.emplace(Interrupted::output_is_complete);
}

void AtomicFile::commit() {
  process_.require_this_process();
  mapping_.reset();
  require_size();
  if (options_.shared == nullptr || is_written_) sync();
  take_name();
  committed_stamp_ = stamp_of(file_.get(), path_);
  if (identity_at(path_) != identity_ || static_cast<std::uint64_t>(committed_stamp_.size) != expected_bytes_) {
    give_folder_up();
    throw Error(ErrorCode::runtime,
                path_ + " is not what we wrote: another program replaced or changed it or " + partial_path_);
  }
  const SharedSync::Synced synced = make_durable();  // the owner, and perhaps the name
  if (synced == SharedSync::Synced::failed || !file_.close()) throw_system_error("make durable", path_);
  is_name_durable_ = synced == SharedSync::Synced::file_system ||
                     (options_.shared == nullptr ? sync_folder(folder_, path_) : sync_folder_of(path_));
}

// The rename replaces nothing but the file that was there before.
void AtomicFile::rename_to_path() const {
  if (!options_.replace || !options_.replaced) return rename_to_new_name();
  const bool is_same = replaced_as_ ? stamp_at(path_) == replaced_as_ : identity_at(path_) == options_.replaced;
  if (!is_same) {
    throw Error(ErrorCode::usage, path_ + " was changed by another program while its replacement was written: " +
                                      "it is left as it is; give the command again");
  }
  if (renameat(at_, partial_in_.c_str(), at_, name_in_.c_str()) != 0) throw_system_error("create", path_);
}

void AtomicFile::rename_to_new_name() const {
  if (renameat2(at_, partial_in_.c_str(), at_, name_in_.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == EEXIST) throw_exists(path_, options_.names);
  if (errno != EINVAL && errno != ENOSYS) throw_system_error("create", path_);
  // Some file systems have no RENAME_NOREPLACE. A hard link refuses an existing name just as well, where there are hard
  // links.
  if (linkat(at_, partial_in_.c_str(), at_, name_in_.c_str(), 0) == 0) {
    remove_partial();
    return;
  }
  if (errno == EEXIST || identity_in(at_, name_in_, path_)) throw_exists(path_, options_.names);
  if (renameat(at_, partial_in_.c_str(), at_, name_in_.c_str()) != 0) throw_system_error("create", path_);
}

}  // namespace phalanx

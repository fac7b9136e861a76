#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/interruption.hpp"

namespace phalanx {
namespace {

constexpr int most_links = 40;  // as the kernel allows

FileDescriptor open_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  return FileDescriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

void sync_folder_of(const std::string& path) {
  const FileDescriptor folder = open_folder_of(path);
  if (folder.is_open()) fsync(folder.get());
}

std::string resolve_links(std::string path) {
  for (int i = 0; i < most_links; ++i) {
    if (inherited_descriptor(path)) return path;
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return path;
    path = target.is_absolute() ? target.string() : folder_of(path) + target.string();
  }
  throw Error(ErrorCode::usage, path + " is a loop of symbolic links: name a file");
}

AtomicFile::AtomicFile(std::string path, const AtomicFileOptions& options)
    : path_(std::move(path)), partial_path_(path_ + ".phalanx-partial"), options_(options), folder_(open_folder_of(path_)) {
  if (!options_.resume || !open_existing()) create();
  try {
    if (options_.replace && options_.keep_permissions) copy_permissions();
  } catch (...) {
    if (unfinished_) ::unlink(partial_path_.c_str());
    remove_on_interruption("");
    throw;
  }
  if (options_.resume) say_on_interruption("the same command again continues");
}

AtomicFile::~AtomicFile() {
  if (options_.resume) say_on_interruption(nullptr);
  if (!unfinished_) return;
  ::unlink(partial_path_.c_str());
  remove_on_interruption("");
}

// The lock comes after the name was looked up: in between, the run that held it may have given the file its final name.
bool AtomicFile::open_existing() {
  file_ = FileDescriptor(::open(partial_path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file_.is_open()) {
    if (errno == ENOENT) return false;
    throw_system_error("open", partial_path_);
  }
  struct stat status {
  }, named{};
  if (fstat(file_.get(), &status) != 0) throw_system_error("open", partial_path_);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, partial_path_ + " is not a regular file: move it away");
  const bool locked = flock(file_.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  const bool same =
      ::lstat(partial_path_.c_str(), &named) == 0 && named.st_ino == status.st_ino && named.st_dev == status.st_dev;
  if (!locked || !same) throw Error(ErrorCode::usage, partial_path_ + " is in use: another run is writing it");
  found_bytes_ = static_cast<std::uint64_t>(status.st_size);
  return true;
}

void AtomicFile::create() {
  if (options_.replace) remove_stale();
  const InterruptionsHeldBack held_back;
  file_ = FileDescriptor(::open(partial_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, options_.mode));
  if (!file_.is_open()) {
    if (errno != EEXIST) throw_system_error("create", partial_path_);
    throw Error(ErrorCode::usage, partial_path_ +
                                      " exists: another run is writing it, or a killed one left it; then "
                                      "continue it by --resume where the command has that, remove it, or give --force");
  }
  if (!options_.resume) {
    unfinished_ = true;
    remove_on_interruption(partial_path_);
  }
  flock(file_.get(), LOCK_EX | LOCK_NB);
}

void AtomicFile::remove_stale() const {
  const FileDescriptor stale(::open(partial_path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!stale.is_open() || fstat(stale.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (flock(stale.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  ::unlink(partial_path_.c_str());
}

void AtomicFile::copy_permissions() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  // Only root may give a file away; for anyone else the new file is his own, like any file that he writes.
  [[maybe_unused]] const int ignored = fchown(file_.get(), status.st_uid, status.st_gid);
  if (fchmod(file_.get(), status.st_mode & 0777) != 0) throw_system_error("set the permissions of", partial_path_);
}

void AtomicFile::commit() {
  if (fsync(file_.get()) != 0) throw_system_error("write", partial_path_);
  rename_to_path();
  unfinished_ = false;
  remove_on_interruption("");
  if (!file_.close()) throw_system_error("write", path_);
  if (folder_.is_open()) fsync(folder_.get());
}

void AtomicFile::rename_to_path() const {
  if (options_.replace) {
    if (std::rename(partial_path_.c_str(), path_.c_str()) != 0) throw_system_error("create", path_);
    return;
  }
  if (renameat2(AT_FDCWD, partial_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == EEXIST) throw Error(ErrorCode::usage, path_ + " exists: give --force to replace it");
  if (errno != EINVAL && errno != ENOSYS) throw_system_error("create", path_);
  // A file system without RENAME_NOREPLACE: a hard link refuses an existing name just as well, where there are links.
  if (::link(partial_path_.c_str(), path_.c_str()) == 0) {
    ::unlink(partial_path_.c_str());
    return;
  }
  if (errno == EEXIST) throw Error(ErrorCode::usage, path_ + " exists: give --force to replace it");
  if (::access(path_.c_str(), F_OK) == 0) throw Error(ErrorCode::usage, path_ + " exists: give --force to replace it");
  if (std::rename(partial_path_.c_str(), path_.c_str()) != 0) throw_system_error("create", path_);
}

}  // namespace phalanx

#include "files/system/file_identity.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <phalanx/error.hpp>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

bool is_before(const timespec& time, const timespec& other) {
  return time.tv_sec != other.tv_sec ? time.tv_sec < other.tv_sec : time.tv_nsec < other.tv_nsec;
}

bool are_equal(const timespec& time, const timespec& other) {
  return time.tv_sec == other.tv_sec && time.tv_nsec == other.tv_nsec;
}

std::optional<FileStamp> stamp_at(const std::string& path) {
  struct stat status {};
  while (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    if (errno != EINTR) throw_system_error("look at", path);
  }
  return FileStamp(status);
}

FileStamp stamp_of(int descriptor, const std::string& name) {
  struct stat status {};
  while (fstat(descriptor, &status) != 0) {
    if (errno != EINTR) throw_system_error("look at", name);
  }
  return FileStamp(status);
}

std::optional<FileIdentity> identity_at(const std::string& path) { return identity_in(AT_FDCWD, path, path); }

std::optional<FileIdentity> identity_in(int folder, const std::string& name, const std::string& path) {
  struct stat status {};
  const int result = call_again([&] { return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW); });
  if (result == 0) return FileIdentity(status);
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw_system_error("look at", path);
}

bool LastingIdentity::operator==(const LastingIdentity& other) const {
  if (inode != other.inode || born.has_value() != other.born.has_value()) return false;
  return !born || are_equal(*born, *other.born);
}

LastingIdentity lasting_identity_of(int descriptor, const std::string& name) {
  struct statx status {};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0) {
    if (errno == ENOSYS) return {.inode = stamp_of(descriptor, name).identity.inode};
    throw_system_error("look at", name);
  }
  LastingIdentity identity{.inode = status.stx_ino};
  if ((status.stx_mask & STATX_BTIME) != 0) identity.born = timespec{status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
  return identity;
}

std::optional<bool> is_mount_root(int descriptor) {
  struct statx status {};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_INO, &status) != 0) return std::nullopt;
  if ((status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0) return std::nullopt;
  return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

FileIdentity identity_of(int descriptor, const std::string& name) { return stamp_of(descriptor, name).identity; }

FileIdentity identity_of_new(int descriptor, const std::string& path) {
  try {
    return identity_of(descriptor, path);
  } catch (const Error&) {
    ::unlink(path.c_str());
    throw;
  }
}

bool FileStamp::operator==(const FileStamp& other) const {
  return identity == other.identity && size == other.size && are_equal(modified, other.modified) &&
         are_equal(changed, other.changed);
}

namespace {

bool lock_as(int operation, int descriptor, const std::string& name) {
  while (flock(descriptor, operation | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw_system_error("lock", name);
  }
  return true;
}

}  // namespace

bool lock_file(int descriptor, const std::string& name) { return lock_as(LOCK_EX, descriptor, name); }
bool share_lock(int descriptor, const std::string& name) { return lock_as(LOCK_SH, descriptor, name); }

void remove_if_same(const std::string& path, const FileIdentity& identity) {
  if (identity_at(path) == identity && ::unlink(path.c_str()) != 0) throw_system_error("remove", path);
}

bool unlink_if_same(const std::string& path, const FileIdentity& identity) noexcept {
  return unlink_in_if_same(AT_FDCWD, path, identity);
}

bool unlink_in_if_same(int folder, const std::string& name, const FileIdentity& identity) noexcept {
  struct stat status {};
  const int code = call_again([&] { return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW); });
  return code == 0 && FileIdentity(status) == identity && unlinkat(folder, name.c_str(), 0) == 0;
}

}  // namespace phalanx

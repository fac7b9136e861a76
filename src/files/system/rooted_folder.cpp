#include "files/system/rooted_folder.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

// Linux 5.6 and later do all of it in one call.
int open_beneath(int folder, const char* name, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(syscall(SYS_openat2, folder, name, &how, sizeof how));
}

// Opens one folder after another, each of which must not be a symbolic link. The name has no "..".
int open_step_by_step(int folder, const std::string& name, int flags) {
  FileDescriptor here(openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t begin = 0;
  for (std::size_t slash; here.is_open() && (slash = name.find('/', begin)) != std::string::npos; begin = slash + 1) {
    const std::string step = name.substr(begin, slash - begin);
    here = FileDescriptor(openat(here.get(), step.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!here.is_open() && errno == ENOTDIR) errno = ELOOP;  // a symbolic link gives this error with these flags
  }
  if (!here.is_open()) return -1;
  return openat(here.get(), name.substr(begin).c_str(), flags | O_NOFOLLOW);
}

void require_free_at(int folder, const std::string& name, const std::string& path) {
  struct stat status {};
  if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
    require_regular(status, path);
  } else if (errno != ENOENT) {
    throw_system_error("look at", path);
  }
}

[[noreturn]] void throw_changed(const std::string& path) {
  throw KeptFile(path + " is no longer the file that was migrated, and is not removed");
}

void unlink_at(int folder, const std::string& name, const std::string& path) {
  if (unlinkat(folder, name.c_str(), 0) != 0) throw_system_error("remove", path);
}

struct stat status_of(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) throw_system_error("look at", path);
  return status;
}

}  // namespace

std::optional<struct stat> HeldFolder::look_at(const std::string& last_name, const std::string& path) const {
  struct stat status {};
  const auto look = [&] { return fstatat(folder_.get(), last_name.c_str(), &status, AT_SYMLINK_NOFOLLOW); };
  if (call_again(look) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  throw_system_error("look at", path);
}

FileDescriptor HeldFolder::open(const std::string& last_name, int flags, const std::string& path) const {
  constexpr int always = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
  const int number = call_again([&] { return openat(folder_.get(), last_name.c_str(), flags | always); });
  if (number < 0) throw_system_error("open", path);
  return FileDescriptor(number);
}

RootedFolder::RootedFolder(const std::string& path)
    : path_(path), folder_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.is_open()) return;
  if (errno == ENOTDIR) throw Error(ErrorCode::usage, path + " is not a folder: name the one of the old files");
  throw_system_error("open the folder", path);
}

int RootedFolder::try_open(const std::string& name, int flags) const {
  const std::string beneath = name.empty() ? "." : name;
  const int all_flags = flags | O_CLOEXEC | ((flags & O_PATH) == 0 ? O_NOCTTY : 0);  // openat2 does not take both
  return call_again([&] {
    const int opened = open_beneath(folder_.get(), beneath.c_str(), all_flags);
    const bool lacking = opened < 0 && (errno == ENOSYS || errno == EPERM || errno == EINVAL || errno == E2BIG);
    return lacking ? open_step_by_step(folder_.get(), beneath, all_flags) : opened;
  });
}

FileDescriptor RootedFolder::open(const std::string& name, int flags) const {
  const int number = try_open(name, flags);
  if (number >= 0) return FileDescriptor(number);
  throw_cannot_open(name);
}

std::optional<struct stat> RootedFolder::look_at(const std::string& name) const {
  const FileDescriptor found(try_open(name, O_PATH | O_NOFOLLOW));
  if (!found.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat status {};
  if (!found.is_open() || fstat(found.get(), &status) != 0) throw_cannot_open(name);
  return status;
}

// Files come folder by folder.
std::shared_ptr<const HeldFolder> RootedFolder::hold_folder_of(const std::string& name) const {
  const std::string parent = parent_name_of(name);
  const std::lock_guard lock(held_mutex_);
  if (held_ != nullptr && held_name_ == parent && !held_->is_given_up()) return held_;
  FileDescriptor folder(try_open(parent, O_PATH | O_DIRECTORY));
  if (!folder.is_open() && errno == ENOENT) return nullptr;
  if (!folder.is_open()) throw_cannot_open(parent);
  held_name_ = parent;
  held_ = std::make_shared<const HeldFolder>(std::move(folder));
  return held_;
}

void RootedFolder::throw_cannot_open(const std::string& name) const {
  if (errno == ELOOP || errno == EXDEV) {
    throw Error(ErrorCode::usage, path_of(name) +
                                      " is or lies behind a symbolic link, which is not followed: name the folder " +
                                      "that it leads to by itself");
  }
  throw_system_error("open", path_of(name));
}

void RootedFolder::require_free(const std::string& name) const {
  const FileDescriptor parent = open(parent_name_of(name), O_PATH | O_DIRECTORY);
  require_free_at(parent.get(), last_name_of(name), path_of(name));
}

void RootedFolder::remove(const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
                          OwnRemovals& removals) const {
  const FileDescriptor parent = open(parent_name_of(name), O_RDONLY | O_DIRECTORY);
  remove_file(parent.get(), last_name_of(name), stamp, check, removals, path_of(name));
}

bool OwnRemovals::know(const FileStamp& before, const FileStamp& now) const {
  if (before == now) return true;
  const auto found = stamps_.find(before.identity);
  if (found == stamps_.end()) return false;
  const auto& stamps = found->second;
  return std::find(std::find(stamps.begin(), stamps.end(), before), stamps.end(), now) != stamps.end();
}

bool OwnRemovals::explain(const FileStamp& before, const FileStamp& now) const {
  const std::lock_guard lock(mutex_);
  return know(before, now);
}

FileStamp OwnRemovals::before_removals(const FileStamp& stamp) const {
  const std::lock_guard lock(mutex_);
  const auto found = stamps_.find(stamp.identity);
  if (found == stamps_.end()) return stamp;
  const auto& stamps = found->second;
  return std::find(stamps.begin(), stamps.end(), stamp) == stamps.end() ? stamp : stamps.front();
}

// A thread that sees the new time before the stamp is recorded waits for the lock. A change by another program in between
// shows, unless it set all else back in the very moment of the call.
void OwnRemovals::remove(int folder, const std::string& name, const FileStamp& stamp, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const FileDescriptor file(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  const struct stat before = status_of(file, path);
  if (!know(stamp, FileStamp(before))) throw_changed(path);
  unlink_at(folder, name, path);
  struct stat after {};
  if (fstat(file.get(), &after) != 0 || after.st_nlink + 1 != before.st_nlink) return;
  FileStamp as_before(after);
  as_before.changed = before.st_ctim;
  if (!(as_before == FileStamp(before))) return;
  std::vector<FileStamp>& stamps = stamps_[as_before.identity];
  if (stamps.empty() || !(stamps.back() == as_before)) stamps = {as_before};
  stamps.emplace_back(after);
}

void require_free(const RootedFolder* folder, const std::string& name) {
  if (folder != nullptr) return folder->require_free(name);
  require_free_at(AT_FDCWD, name, name);
}

void remove_file(int folder, const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
                 OwnRemovals& removals, const std::string& path) {
  struct stat status {};
  if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) throw_system_error("remove", path);
  if (!S_ISREG(status.st_mode) || !removals.explain(stamp, FileStamp(status))) throw_changed(path);
  check();
  if (status.st_nlink == 1) {
    unlink_at(folder, name, path);
  } else {
    removals.remove(folder, name, stamp, path);
  }
  static_cast<void>(sync_whole(folder));  // if the name comes back after a crash, nothing is lost
}

}  // namespace phalanx

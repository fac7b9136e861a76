// An identity says which file a name or a descriptor leads to, whatever its name.
#pragma once

#include <sys/stat.h>

#include <compare>
#include <optional>
#include <string>

namespace phalanx {

[[nodiscard]] bool is_before(const timespec& time, const timespec& other);
[[nodiscard]] bool are_equal(const timespec& time, const timespec& other);

/// Identifies a file of this machine by device and inode, and a block device by its own number.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  FileIdentity() = default;
  explicit FileIdentity(const struct stat& status)
      : device(S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev),
        inode(S_ISBLK(status.st_mode) ? 0 : status.st_ino) {}
  [[nodiscard]] auto operator<=>(const FileIdentity& other) const = default;
};

/// Returns the file at `path` itself, a symbolic link too, or nothing if there is no such name. Throws Error (runtime) where
/// that cannot be known.
[[nodiscard]] std::optional<FileIdentity> identity_at(const std::string& path);

/// Does this for a name in an open folder, or for a path where that is AT_FDCWD. `path` is for messages.
[[nodiscard]] std::optional<FileIdentity> identity_in(int folder, const std::string& name, const std::string& path);

/// Identifies a file of its file system, wherever that is mounted, by its inode and its birth. A snapshot of the file system
/// keeps both; another disk has other ones.
struct LastingIdentity {
  ino_t inode = 0;
  std::optional<timespec> born{};  ///< nothing where the file system does not say

  [[nodiscard]] bool operator==(const LastingIdentity& other) const;
};

/// Returns the lasting identity of an open file or folder. Throws Error (runtime).
[[nodiscard]] LastingIdentity lasting_identity_of(int descriptor, const std::string& name);

/// Says whether a mount begins at an open folder, a bind mount too. Returns nothing where the system does not say.
[[nodiscard]] std::optional<bool> is_mount_root(int descriptor);

/// Returns the identity of an open file. Throws Error (runtime).
[[nodiscard]] FileIdentity identity_of(int descriptor, const std::string& name);

/// Returns the identity of a file that we have just made under this name. If it cannot be known, the file is removed again.
[[nodiscard]] FileIdentity identity_of_new(int descriptor, const std::string& path);

/// Says which file it is, and in which state. It must not change between the file's first and its last byte. The times are
/// of the content and of the inode: a program can set the first back, but not the second.
struct FileStamp {
  FileIdentity identity;
  off_t size = 0;
  timespec modified{};
  timespec changed{};

  FileStamp() = default;
  explicit FileStamp(const struct stat& status)
      : identity(status), size(status.st_size), modified(status.st_mtim), changed(status.st_ctim) {}
  [[nodiscard]] bool operator==(const FileStamp& other) const;
};

/// Returns the stamp of an open file, now. Throws Error (runtime).
[[nodiscard]] FileStamp stamp_of(int descriptor, const std::string& name);

/// Returns the stamp of the file at a name itself, or nothing if there is no such name. Throws Error (runtime) where that
/// cannot be known.
[[nodiscard]] std::optional<FileStamp> stamp_at(const std::string& path);

/// Takes an exclusive lock of an open file, which is held until its last descriptor is closed. Returns false if another run
/// holds it. Throws Error (runtime) where the file system refuses locks: without one, two runs could write the same file.
[[nodiscard]] bool lock_file(int descriptor, const std::string& name);

/// Makes it a lock that the processes of a group hold together, each for a descriptor of its own. While any of them lives,
/// no other run gets the file by lock_file. Returns false if another run holds it.
[[nodiscard]] bool share_lock(int descriptor, const std::string& name);

/// Removes the name `path` if it is still that of the file. Throws Error (runtime) where that cannot be known or done.
void remove_if_same(const std::string& path, const FileIdentity& identity);

/// Does this where another error is on its way already. Returns false if the name is not that of the file, or cannot be
/// removed.
bool unlink_if_same(const std::string& path, const FileIdentity& identity) noexcept;
/// Does this for a name in an open folder, or for a path where that is AT_FDCWD.
bool unlink_in_if_same(int folder, const std::string& name, const FileIdentity& identity) noexcept;

}  // namespace phalanx

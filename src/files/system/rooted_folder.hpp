// A folder below which files are opened and removed, and out of which no name leads.
#pragma once

#include <sys/stat.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/paths.hpp"

namespace phalanx {

/// An old file that may go but for now: it changed, or might have, or its container is not durable. It stays, whatever is
/// asked for.
class KeptFile : public Error {
 public:
  explicit KeptFile(const std::string& why) : Error(ErrorCode::runtime, why) {}
};

/// What our own removals did to files with several names: they change the time of the inode, so that its other names look as
/// if somebody had changed the file. Any number of threads may use it.
class OwnRemovals {
 public:
  /// Whether a file that had the stamp `before` has `now` since we removed names of it, and for no other reason.
  [[nodiscard]] bool explain(const FileStamp& before, const FileStamp& now) const;

  /// The stamp that a file had before we removed a name of it, if this one is from that; else the same.
  [[nodiscard]] FileStamp before_removals(const FileStamp& stamp) const;

  /// Removes `name` in the open folder, one of several of the file that `stamp` tells of. Throws KeptFile if it is not
  /// that any more.
  void remove(int folder, const std::string& name, const FileStamp& stamp, const std::string& path);

 private:
  [[nodiscard]] bool know(const FileStamp& before, const FileStamp& now) const;

  mutable std::mutex mutex_;
  std::map<FileIdentity, std::vector<FileStamp>> stamps_;  // of each, in the order in which they came
};

/// Names are relative to the folder. No symbolic link is followed on the way to a file, and none at its end: a list, or
/// somebody who puts a link in the place of a folder, cannot lead out of the tree.
class RootedFolder {
 public:
  /// Throws Error (usage) if `path` is no folder.
  explicit RootedFolder(const std::string& path);

  /// open(2) of a file or folder in it, "" for the folder itself. Throws Error: usage where a link is on the way, else
  /// runtime.
  [[nodiscard]] FileDescriptor open(const std::string& name, int flags) const;

  /// What has that name in it, a link itself; nothing where there is no such name, nor folder that would hold it. Throws
  /// Error: usage where a link is on the way, runtime where it cannot be known.
  [[nodiscard]] std::optional<struct stat> look_at(const std::string& name) const;

  /// Before a file in it is written by its path: throws Error (usage) where `name` is anything but a regular file or free: a
  /// symbolic link, whatever that leads to, a FIFO, a folder; or where it lies behind a link.
  void require_free(const std::string& name) const;

  /// As remove_file, of a file in it.
  void remove(const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
              OwnRemovals& removals) const;

  /// The file's whole name, for messages.
  [[nodiscard]] std::string path_of(const std::string& name) const { return name.empty() ? path_ : path_ + '/' + name; }

 private:
  [[nodiscard]] int try_open(const std::string& name, int flags) const;
  [[noreturn]] void throw_cannot_open(const std::string& name) const;

  std::string path_;
  FileDescriptor folder_;
};

/// As RootedFolder::require_free, of a file in `folder`; without one, of the file `name` by its path, on the way to which
/// links are followed.
void require_free(const RootedFolder* folder, const std::string& name);

/// Removes `name` in the open folder, if it is still the regular file that `stamp` tells of, but for `removals`, and makes
/// that durable. Right before, `check` throws if it should stay. `path` is for messages. Throws KeptFile where it is not
/// that file any more, else Error (runtime).
void remove_file(int folder, const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
                 OwnRemovals& removals, const std::string& path);

}  // namespace phalanx

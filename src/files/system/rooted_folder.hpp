// Files are opened and removed below a rooted folder, and no name leads out of it.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/paths.hpp"

namespace phalanx {

/// Says why an old file may not go now: it changed, or might have, or its container is not durable. The file stays, whatever
/// the options ask for.
class KeptFile : public Error {
 public:
  explicit KeptFile(const std::string& why) : Error(ErrorCode::runtime, why) {}
};

/// Explains changes that our own removals made to files with several names. A removal changes the time of the inode, so that
/// other names of the file look as if somebody had changed it. Any number of threads may use it.
class OwnRemovals {
 public:
  /// Says whether a file that had the stamp `before` has `now` since we removed names of it, and for no other reason.
  [[nodiscard]] bool explain(const FileStamp& before, const FileStamp& now) const;

  /// Returns the stamp that a file had before we removed a name of it, if this one is from that, else this one.
  [[nodiscard]] FileStamp before_removals(const FileStamp& stamp) const;

  /// Removes `name` in the open folder, which is one of several of the file that `stamp` describes. Throws KeptFile if it is
  /// not that any more.
  void remove(int folder, const std::string& name, const FileStamp& stamp, const std::string& path);

 private:
  [[nodiscard]] bool know(const FileStamp& before, const FileStamp& now) const;

  mutable std::mutex mutex_;
  std::map<FileIdentity, std::vector<FileStamp>> stamps_;  // stamps of each file, in the order in which they came
};

/// This is a folder that stays open while files are made in it, one after the other. A caller that finds that its path leads
/// elsewhere by now gives it up, and it is opened anew for the next file. Any number of threads may use it.
class HeldFolder {
 public:
  explicit HeldFolder(FileDescriptor folder) : folder_(std::move(folder)) {}

  [[nodiscard]] int descriptor() const { return folder_.get(); }

  /// Returns the status of the file in it with this name, and of a symbolic link itself, or nothing where there is no such
  /// name. Throws Error (runtime) where it cannot be known; `path` is for messages.
  [[nodiscard]] std::optional<struct stat> look_at(const std::string& last_name, const std::string& path) const;

  /// Opens the file in it with this name. A symbolic link is not followed, and a pipe not waited for. Throws Error.
  [[nodiscard]] FileDescriptor open(const std::string& last_name, int flags, const std::string& path) const;

  void give_up() const noexcept { is_given_up_ = true; }
  [[nodiscard]] bool is_given_up() const noexcept { return is_given_up_; }

 private:
  FileDescriptor folder_;
  mutable std::atomic<bool> is_given_up_ = false;
};

/// Names are relative to the folder. No symbolic link is followed on the way to a file, and none at its end. So neither a
/// list, nor a link that somebody puts in the place of a folder, can lead out of the tree.
class RootedFolder {
 public:
  /// Throws Error (usage) if `path` is no folder.
  explicit RootedFolder(const std::string& path);

  /// Calls open(2) for a file or folder in it, "" for the folder itself. Throws Error: usage where a symbolic link is on the
  /// way, else runtime.
  [[nodiscard]] FileDescriptor open(const std::string& name, int flags) const;

  /// Returns the status of the file of that name, and of a symbolic link itself. Returns nothing where there is no such
  /// name, nor folder that would hold it. Throws Error: usage where a symbolic link is on the way, runtime where it cannot
  /// be known.
  [[nodiscard]] std::optional<struct stat> look_at(const std::string& name) const;

  /// Opens the folder in it that holds the file `name`, or gives the one that it opened last, if that is it. Returns nullptr
  /// where there is no such folder. Throws Error as open does.
  [[nodiscard]] std::shared_ptr<const HeldFolder> hold_folder_of(const std::string& name) const;

  /// Checks a name before a file in it is written by its path. Throws Error (usage) where `name` is neither free nor a
  /// regular file, as a symbolic link, whatever that leads to, a FIFO, or a folder. It throws that too where `name` lies
  /// behind a symbolic link.
  void require_free(const std::string& name) const;

  /// Removes a file in it as remove_file does.
  void remove(const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
              OwnRemovals& removals) const;

  /// Returns the file's whole name, for messages.
  [[nodiscard]] std::string path_of(const std::string& name) const { return name.empty() ? path_ : path_ + '/' + name; }

 private:
  [[nodiscard]] int try_open(const std::string& name, int flags) const;
  [[noreturn]] void throw_cannot_open(const std::string& name) const;

  std::string path_;
  FileDescriptor folder_;
  mutable std::mutex held_mutex_;
  mutable std::string held_name_;
  mutable std::shared_ptr<const HeldFolder> held_;
};

/// Checks a file in `folder` as RootedFolder::require_free does. Without a folder it checks the file `name` by its path, on
/// the way to which symbolic links are followed.
void require_free(const RootedFolder* folder, const std::string& name);

/// Removes `name` in the open folder, and makes that durable. It must still be the regular file that `stamp` describes,
/// apart from `removals`. Right before, `check` throws if it should stay. `path` is for messages. Throws KeptFile where it
/// is not that file any more, else Error (runtime).
void remove_file(int folder, const std::string& name, const FileStamp& stamp, const std::function<void()>& check,
                 OwnRemovals& removals, const std::string& path);

}  // namespace phalanx

// A file that appears under its name only when it is complete.
#pragma once

#include <sys/stat.h>

#include <string>

#include "io/file_descriptor.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// Writes PATH.phalanx-partial, and renames it to PATH on commit. Removed again if it is destroyed before, or if a signal
/// ends the program; a killed run (SIGKILL, power) leaves it. One that is there already is never overwritten unasked: it
/// is an Error (usage), and with `replace` it is removed, unless the run that writes it still lives (it holds a lock).
class AtomicFile {
 public:
  /// `path` is not a link (see resolve_links). `replace`: a regular file of that name is replaced, and its permissions are
  /// kept if `keep_permissions`; otherwise that it appears in the meantime is an Error too. `mode` is a new file's, less
  /// the umask.
  AtomicFile(std::string path, bool replace, mode_t mode, bool keep_permissions);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }

  /// Makes the data durable, then the name: fsync, rename, fsync of the folder.
  void commit();

 private:
  void create(mode_t mode);
  void remove_stale() const;
  void copy_permissions() const;
  void rename_to_path() const;

  std::string path_;
  std::string partial_path_;
  bool replace_;
  FileDescriptor folder_;  // closed where the folder may not be read; then only the rename is not made durable
  FileDescriptor file_;
  bool unfinished_ = false;
};

/// The file that `path` leads to by symbolic links at its end, whether it exists or not; /dev/fd/N and the like stay as
/// they are. Throws Error (usage) on a loop.
[[nodiscard]] std::string resolve_links(std::string path);

/// "" or "a/" before the name of the file.
[[nodiscard]] std::string folder_of(const std::string& path);

/// fsync of the folder that holds `path`, where it can be opened: makes names created, renamed or removed in it durable.
void sync_folder_of(const std::string& path);

}  // namespace phalanx

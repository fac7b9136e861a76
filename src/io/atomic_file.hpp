// A file that appears under its name only when it is complete.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "io/file_descriptor.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

struct AtomicFileOptions {
  bool replace = false;          ///< a regular file of that name, and a partial file that a killed run left
  bool resume = false;           ///< continue the partial file that is there; keep it when the run ends early
  mode_t mode = 0666;            ///< of a new file, less the umask
  bool keep_permissions = true;  ///< of a file that is replaced
};

/// Writes PATH.phalanx-partial, and renames it to PATH on commit. Removed again if it is destroyed before, or if a signal
/// ends the program; a killed run (SIGKILL, power) leaves it. One that is there already is never overwritten unasked: it
/// is an Error (usage), and with `replace` it is removed, unless the run that writes it still lives (it holds a lock).
/// With `resume` it is opened as it stands, and nothing but commit takes its name away.
class AtomicFile {
 public:
  /// `path` is not a link (see resolve_links). Without `replace`, that `path` appears in the meantime is an Error (usage) too.
  AtomicFile(std::string path, const AtomicFileOptions& options);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  [[nodiscard]] const std::string& partial_path() const { return partial_path_; }

  /// What an earlier run had written, for `resume`: nothing if there was no partial file.
  [[nodiscard]] std::uint64_t found_bytes() const { return found_bytes_; }

  /// Makes the data durable, then the name: fsync, rename, fsync of the folder.
  void commit();

 private:
  bool open_existing();
  void create();
  void remove_stale() const;
  void copy_permissions() const;
  void rename_to_path() const;

  std::string path_;
  std::string partial_path_;
  AtomicFileOptions options_;
  FileDescriptor folder_;  // closed where the folder may not be read; then only the rename is not made durable
  FileDescriptor file_;
  std::uint64_t found_bytes_ = 0;
  bool unfinished_ = false;  // to be removed
};

/// The file that `path` leads to by symbolic links at its end, whether it exists or not; /dev/fd/N and the like stay as
/// they are. Throws Error (usage) on a loop.
[[nodiscard]] std::string resolve_links(std::string path);

/// "" or "a/" before the name of the file.
[[nodiscard]] std::string folder_of(const std::string& path);

/// fsync of the folder that holds `path`, where it can be opened: makes names created, renamed or removed in it durable.
void sync_folder_of(const std::string& path);

}  // namespace phalanx

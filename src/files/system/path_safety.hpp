// This looks at the file at the name of an OUT, and at who could have put it there.
#pragma once

#include <sys/stat.h>

#include <string>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// Holds the file that was found at a name. It is opened without effect (O_PATH), and open_place opens the very file that
/// was judged.
struct NamedPlace {
  std::string path;          ///< with symbolic links at its end followed
  FileDescriptor file{};     ///< closed where no file was found, and for /dev/fd/N and the like
  int error = 0;             ///< why no file was found, as errno says it: ENOENT, EACCES
  struct stat status {};     ///< status of the file
  bool is_anothers = false;  ///< it is neither ours nor its folder's owner's, and others may write to a folder of its path
  /// It is such a file, and others may write to the folder that holds it: one of them may have planted it.
  bool is_attacker_writable = false;
};

/// Goes where a name that the user gave leads, by descriptors. /dev/fd/N and the like stay as they are. Throws Error (usage)
/// on a loop of symbolic links, and on a link, at the end or on the way, that `is_anothers`. The kernel's protected_symlinks
/// refuses such links in sticky folders; this refuses them in each folder that its group or all may write to. In /dev only
/// the folders below it count that others may write to: /dev/shm.
[[nodiscard]] NamedPlace find_place(const std::string& path);

/// Returns the path of find_place. Throws Error (runtime) where that cannot be known, though the name may be there.
[[nodiscard]] std::string resolve_links(const std::string& path);

/// Finds the file at a name that we made up ourselves: no symbolic link is followed at its end.
[[nodiscard]] NamedPlace find_made_up_place(const std::string& path);

/// Opens the file that was found, through the descriptor, so that no other program can put another in its place. A FIFO
/// waits for its reader. Throws Error (runtime).
[[nodiscard]] FileDescriptor open_place(const NamedPlace& place, int flags);

/// Returns "a FIFO", "a folder".
[[nodiscard]] const char* kind_of_file(mode_t mode);

/// Throws Error (usage) unless it is a regular file: no other is taken at a name that we made up.
void require_regular(const struct stat& status, const std::string& path);

}  // namespace phalanx

// What stands at the name of an OUT, and who could have put it there.
#pragma once

#include <sys/stat.h>

#include <string>

#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// What was found at a name. It is opened without effect (O_PATH): what is judged here is what open_place opens.
struct NamedPlace {
  std::string path;          ///< links at its end followed
  FileDescriptor file{};     ///< closed where nothing was found, and for /dev/fd/N and the like
  int error = 0;             ///< why nothing was found, as errno says it: ENOENT, EACCES
  struct stat status {};     ///< of what was found
  bool is_anothers = false;  ///< it is neither ours nor its folder's owner's, and others may write to a folder of its path
  /// It is such a one, and others may write to the folder that holds it: one of them may have planted it.
  bool is_attacker_writable = false;
};

/// Goes where a name that the user gave leads, by descriptors. /dev/fd/N and the like stay as they are. Throws Error (usage)
/// on a loop of links, and on a link, at the end or on the way, that `is_anothers`; as the kernel's protected_symlinks
/// refuses them, but in each folder that its group or all may write to, sticky or not. Of /dev only what others may write to
/// below it counts: /dev/shm.
[[nodiscard]] NamedPlace find_place(const std::string& path);

/// The path of find_place. Throws Error (runtime) where that cannot be known, though the name may be there.
[[nodiscard]] std::string resolve_links(const std::string& path);

/// What stands at a name that we made up ourselves: no link is followed at its end.
[[nodiscard]] NamedPlace find_made_up_place(const std::string& path);

/// Opens what was found, through the descriptor: no other program can put anything else in its place. A FIFO waits for its
/// reader. Throws Error (runtime).
[[nodiscard]] FileDescriptor open_place(const NamedPlace& place, int flags);

/// "a FIFO", "a folder".
[[nodiscard]] const char* kind_of_file(mode_t mode);

/// Throws Error (usage) unless it is a regular file: nothing else is taken at a name that we made up.
void require_regular(const struct stat& status, const std::string& path);

}  // namespace phalanx

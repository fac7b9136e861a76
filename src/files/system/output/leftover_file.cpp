#include "files/system/output/leftover_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <phalanx/error.hpp>

namespace phalanx {

std::optional<LeftoverFile> open_leftover(const std::string& path, const ProtectedFiles* needed,
                                          std::optional<uid_t> final_owner) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    throw_system_error("open", path);
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) throw_system_error("open", path);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::usage, path + " is not a regular file: move it away");
  if (needed != nullptr) needed->refuse(status, path);
  if (status.st_uid != geteuid() && final_owner != status.st_uid) {
    throw Error(ErrorCode::usage, path + " belongs to another user: move it away, or name another file to write");
  }
  if (status.st_nlink != 1) {
    throw Error(ErrorCode::usage, path + " has other names too, which would change with it: move it away");
  }
  return LeftoverFile{.file = std::move(file), .identity = FileIdentity(status)};
}

}  // namespace phalanx

// An earlier run may have left a file beside OUT or FILE: a partial file, a record, a journal.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/protected_files.hpp"

namespace phalanx {

struct LeftoverFile {
  FileDescriptor file;
  FileIdentity identity;
};

/// Opens it for reading and writing, and follows no symbolic link. Returns nothing if there is none. `final_owner` is the
/// user that we were about to give it to, and may have given it to. Throws Error: runtime if it cannot be opened, and usage
/// in these cases:
/// - it is not a regular file that belongs to us and has no other name
/// - it is one of `needed`, which may be nullptr
[[nodiscard]] std::optional<LeftoverFile> open_leftover(const std::string& path, const ProtectedFiles* needed,
                                                        std::optional<uid_t> final_owner = std::nullopt);

}  // namespace phalanx

// A file beside OUT or FILE that an earlier run may have left: a partial file, a record, a journal.
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

/// Opens it for reading and writing, and follows no link; nothing if there is none. Throws Error: usage if it is not a
/// regular file that belongs to us and has no other name, or if it is one of `needed` (which may be nullptr); runtime if it
/// cannot be opened. `final_owner`: whom we were about to give it to, and may have.
[[nodiscard]] std::optional<LeftoverFile> open_leftover(const std::string& path, const ProtectedFiles* needed,
                                                        std::optional<uid_t> final_owner = std::nullopt);

}  // namespace phalanx

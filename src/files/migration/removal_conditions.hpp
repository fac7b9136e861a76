// These are the conditions for a container before its old file is removed.
#pragma once

#include <string>

#include "files/migration/file_migration.hpp"

namespace phalanx {

/// The caller allows these though the old file might be the better copy.
struct RemovalLimits {
  bool delete_volatile = false;  ///< the container may lie in memory, which a restart empties
  const char* volatile_setting = "`delete_volatile`";
};

/// Throws KeptFile unless the container is durable, is known to open for all recipients, and lies on a disk, as far as
/// its file system says. Throws Error (runtime) unless it is still the container that was made.
void require_container(const std::string& out, const MigratedFile& migrated, const RemovalLimits& limits);

}  // namespace phalanx

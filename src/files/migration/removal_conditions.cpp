#include "files/migration/removal_conditions.hpp"

#include "files/system/output/cached_pages.hpp"
#include "files/system/path_safety.hpp"
#include "files/system/rooted_folder.hpp"

namespace phalanx {
namespace {

// A file that itself lies there has no more to lose.
void require_disk(const std::string& out, const MigratedFile& migrated, const RemovalLimits& limits) {
  if (migrated.verified_from == ContentSource::cache) {
    throw KeptFile(out + ' ' + std::string(why_not_from_disk(migrated.verified_from)));
  }
  if (migrated.verified_from == ContentSource::disk || limits.delete_volatile) return;
  if (migrated.source.identity.device == migrated.container.identity.device) return;
  throw KeptFile(out +
                 " lies in memory (tmpfs or ramfs), and is gone after a restart: have the containers on a disk, or give " +
                 limits.volatile_setting);
}

}  // namespace

void require_container(const std::string& out, const MigratedFile& migrated, const RemovalLimits& limits) {
  if (!migrated.is_out_durable) {
    throw KeptFile("the name " + out + " is not on the disk for certain, since its folder cannot be opened or made durable");
  }
  if (!migrated.unshown.empty()) throw KeptFile(migrated.unshown);
  require_disk(out, migrated, limits);
  if (stamp_at(resolve_links(out)) == migrated.container) return;
  throw Error(ErrorCode::runtime,
              out + " is no longer the container that was made, or was changed: the old file is not removed");
}

}  // namespace phalanx

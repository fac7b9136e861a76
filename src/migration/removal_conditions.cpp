#include "migration/removal_conditions.hpp"

#include <sys/vfs.h>

#include <algorithm>
#include <iterator>

#include "files/file_descriptor.hpp"
#include "files/named_place.hpp"
#include "files/rooted_folder.hpp"

namespace phalanx {
namespace {

// linux/magic.h: tmpfs, ramfs, hugetlbfs.
constexpr std::uint64_t file_systems_in_memory[] = {0x01021994, 0x858458f6, 0x958458f6};

bool lies_in_memory(const std::string& out) {
  struct statfs system {};
  if (statfs(resolve_links(out).c_str(), &system) != 0) throw_system_error("look at the file system of", out);
  const auto type = static_cast<std::uint32_t>(system.f_type);
  return std::ranges::find(file_systems_in_memory, type) != std::end(file_systems_in_memory);
}

// A file that itself lies there has no more to lose.
void require_disk(const std::string& out, const MigratedFile& migrated, const RemovalLimits& limits) {
  if (limits.delete_volatile || migrated.source.identity.device == migrated.container.identity.device) return;
  if (!lies_in_memory(out)) return;
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
  if (migrated.verified_from == ContentSource::cache && !lies_in_memory(out)) {
    throw KeptFile(out + ' ' + std::string(why_not_from_disk(migrated.verified_from)));
  }
  if (stamp_at(resolve_links(out)) == migrated.container) return;
  throw Error(ErrorCode::runtime,
              out + " is no longer the container that was made, or was changed: the old file is not removed");
}

}  // namespace phalanx

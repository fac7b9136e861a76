#include "files/migration/trees/orphaned_containers.hpp"

#include <utility>

namespace phalanx {

// Most runs meet no container that is there already, and then need not look for a million of them.
const OrphanedContainers::Names& OrphanedContainers::orphans() {
  const std::lock_guard lock(mutex_);
  if (orphans_) return *orphans_;
  Names found;
  manifest_.for_each_done([&](const ManifestRecord& record) {
    const auto old_file = record.deleted ? std::nullopt : stamp_at(files_.folder().path_of(record.name));
    if (old_file && (!record.removing || is_source_of(record, *old_file))) return;
    const auto container = identity_at(files_.place_of(record.container()).path);
    if (container) found.emplace(*container, record.name);
  });
  return orphans_.emplace(std::move(found));
}

void OrphanedContainers::refuse(const FileIdentity& container, const std::string& path, const std::string& name) {
  const auto orphan = orphans().find(container);
  if (orphan == orphans().end() || orphan->second == name) return;
  throw Error(ErrorCode::usage, path + " is the container of " + orphan->second +
                                    ", which is gone, and is never replaced: rename the old file " + name);
}

bool OrphanedContainers::is_only_copy(const std::string& path) {
  const auto container = identity_at(path);
  return container && orphans().contains(*container);
}

}  // namespace phalanx

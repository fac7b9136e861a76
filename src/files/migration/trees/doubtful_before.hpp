// Files that an earlier run has migrated and was in doubt of: whether what is given now says more.
#pragma once

#include "files/migration/file_migration.hpp"
#include "files/migration/manifest/manifest_record.hpp"
#include "files/migration/trees/source_tree.hpp"

namespace phalanx {

enum class RecheckResult : unsigned char {
  nothing_new,  ///< nothing opens it now, or what opened it then, and no more speaks for that
  vouched_now,  ///< what opened it then; as its beginning and its end tell, enough speaks for that now
  another_key,  ///< another key, cipher or derivation, and all of its plaintext is vouched for: the container holds garbage
};

/// Looks at the old file anew. The record says which file it is and where to look, and is believed in nothing else. A
/// file whose record has no mark is not looked at. Trials are counted. A file that cannot be read gives nothing new.
[[nodiscard]] RecheckResult look_again(const Migration& migration, const SourceTree& files, const ListedFile& entry,
                                       const ManifestRecord& before, Progress& progress);

}  // namespace phalanx

#include "migration/trees/tree_migration.hpp"

namespace phalanx {

void TreeSummary::add(const ManifestRecord& record) {
  const bool done = record.state == MigrationState::done;
  if (done) ++num_done;
  if (done && !record.doubt.empty()) ++num_doubtful;
  if (record.deleted) ++num_deleted;
  if (!record.kept.empty()) ++num_kept;
  if (record.state == MigrationState::skipped) ++num_skipped;
  if (record.state != MigrationState::failed) return;
  ++num_failed;
  ++failed_codes[record.code];
  ++failed_reasons[record.reason];
}

}  // namespace phalanx

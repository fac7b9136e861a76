#include "files/migration/trees/tree_summary.hpp"

namespace phalanx {

void TreeSummary::add(const ManifestRecord& record) {
  const bool done = record.state == MigratedAs::done;
  if (done) ++num_done;
  if (done && record.doubt) ++num_doubtful;
  if (record.deleted) ++num_deleted;
  if (!record.kept.empty()) ++num_kept;
  if (record.state == MigratedAs::skipped) ++num_skipped;
  if (record.state != MigratedAs::failed) return;
  ++num_failed;
  ++failed_codes[record.code];
  ++failed_reasons[record.reason];
}

}  // namespace phalanx

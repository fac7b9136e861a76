// Looking at many files, or at one, without writing: what would open old ones, and whether containers hold what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/migration.hpp>
#include <string>
#include <vector>

#include "files/migration/file_migration.hpp"
#include "files/migration/manifest/manifest_record.hpp"
#include "files/migration/trees/tree_settings.hpp"

namespace phalanx {

/// "opens", "fails", ...
[[nodiscard]] const char* verdict_name(TreeVerdict verdict);

/// Says whether such a finding has an error's code.
[[nodiscard]] inline bool is_failure(TreeVerdict verdict) {
  return verdict == TreeVerdict::fails || verdict == TreeVerdict::differs || verdict == TreeVerdict::not_compared;
}

/// The library's callers get the finding. Its doubt is judged by the evidence.
struct TreeFinding : TreeFileFinding {
  std::optional<KeyEvidence> evidence{};  ///< of an old file that was opened

  [[nodiscard]] bool is_failure() const { return phalanx::is_failure(verdict); }
};

class FindingObserver {
 public:
  FindingObserver() = default;
  FindingObserver(const FindingObserver&) = delete;
  FindingObserver& operator=(const FindingObserver&) = delete;
  virtual ~FindingObserver() = default;

  /// Before files are verified: so many bytes are to be read, and what is read is told to what this returns, by any thread.
  virtual Progress& begin(std::uint64_t num_bytes) = 0;

  /// Before these containers are opened.
  virtual void on_containers(const std::vector<std::string>& /*paths*/) {}

  /// Throws if the run is to end: asked before each file, and after each that failed, which then is not told of. Any thread.
  virtual void require_going() {}

  /// One at a time, in order; of a file that is doubtful at the end, for it may be vouched for until then.
  virtual void on_finding(const TreeFinding& finding) = 0;
};

/// Say of each old file what would open it, or why it would fail. Throw Error where the folders, the list or the manifest
/// do not fit, and what the observer throws.
void run_tree_preview(Migration& migration, const TreeMigrationSettings& settings, FindingObserver& observer);
[[nodiscard]] TreeFinding preview_file(const Migration& migration, const std::string& name, Input& input);

/// Read all containers that the manifest says are done, or the one, and the old files that are still there. The doubt
/// of a record holds where its old file is gone. Throw as the previews do.
void run_tree_verification(Migration& migration, const TreeMigrationSettings& settings, FindingObserver& observer);
[[nodiscard]] TreeFinding verify_file(const Migration& migration, const std::string& name, Input& out,
                                      std::optional<Input>& old, const ManifestRecord& record, Progress& progress);

}  // namespace phalanx

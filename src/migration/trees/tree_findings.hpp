// Looking at many files, or at one, without writing: what would open old ones, and whether containers hold what they do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "migration/file_migration.hpp"
#include "migration/trees/manifest_record.hpp"
#include "migration/trees/tree_options.hpp"

namespace phalanx {

enum class Verdict : unsigned char {
  opens,    ///< with what `detail` says, as far as its beginning and its end tell
  fails,    ///< would not be migrated
  skipped,  ///< is none of those that are migrated
  done,     ///< by an earlier run
  same,     ///< its container opens, to what the old file holds if that is still there
  differs,  ///< or the container, or the old file, cannot be read
};

/// "opens", "fails", ...
[[nodiscard]] const char* verdict_name(Verdict verdict);

struct TreeFinding {
  std::string name;
  Verdict verdict = Verdict::skipped;
  std::string detail{};                 ///< with what, or why
  ErrorCode code = ErrorCode::runtime;  ///< of one that fails or differs
  std::uint64_t num_bytes = 0;          ///< of an old file that would be read, of a container that was
  ManifestRecord record{};              ///< its size and what was found, of an old file that opens

  [[nodiscard]] bool is_failure() const { return verdict == Verdict::fails || verdict == Verdict::differs; }
};

class FindingObserver {
 public:
  FindingObserver() = default;
  FindingObserver(const FindingObserver&) = delete;
  FindingObserver& operator=(const FindingObserver&) = delete;
  virtual ~FindingObserver() = default;

  /// Before files are verified: so many bytes are to be read, and what is read is told to what this returns.
  virtual Progress& begin(std::uint64_t num_bytes) = 0;
  virtual void on_finding(const TreeFinding& finding) = 0;
};

/// Say of each old file what would open it, or why it would fail. Throw Error where the folders, the list or the manifest
/// do not fit.
void preview_tree(Migration& migration, const TreeOptions& options, FindingObserver& observer);
[[nodiscard]] TreeFinding preview_file(const Migration& migration, const std::string& name, Input& input);

/// Read all containers that the manifest says are done, or the one, and the old files that are still there. Throw as above.
void verify_tree(Migration& migration, const TreeOptions& options, FindingObserver& observer);
[[nodiscard]] TreeFinding verify_file(const Migration& migration, const std::string& name, Input& out,
                                      std::optional<Input>& old, Progress& progress);

}  // namespace phalanx

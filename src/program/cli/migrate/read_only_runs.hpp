// These are the runs of `phalanx migrate` that only read, --dry-run and --verify-only. Nothing is written, not even a
// manifest.
#pragma once

#include "files/migration/file_migration.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/migrate/options.hpp"

namespace phalanx {

/// Say what would be opened with what, what would fail and why. The exit code is the one that a migration would end with, as
/// far as the beginnings and ends of the old files tell. Throw Error where the folders, the list or the manifest do not fit.
[[nodiscard]] int dry_run_tree(Migration& migration, const MigrateOptions& options);
[[nodiscard]] int dry_run_one(const Migration& migration, const MigrateOptions& options);

/// Read all containers that the manifest says are done, or OUT, and the old files that are still there. Say which cannot be
/// opened, and which do not hold what their old file does. Throw as the two above do.
[[nodiscard]] int print_tree_verification(Migration& migration, const MigrateOptions& options, ProgressStyle style);
[[nodiscard]] int verify_one(const Migration& migration, const MigrateOptions& options, ProgressStyle style);

}  // namespace phalanx

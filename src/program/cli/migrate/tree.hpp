// This migrates many files, side by side, with a manifest.
#pragma once

#include "files/migration/file_migration.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/migrate/options.hpp"
#include "program/cli/options/engine_choice.hpp"

namespace phalanx {

/// Migrates what the options name, and prints what becomes of each file. Returns the exit code: that of the failures if they
/// are alike, 1 if they are not, 7 for doubts alone, else 0. Throws Error if the run as a whole cannot go on: the folders,
/// the list or the manifest.
[[nodiscard]] int print_tree_migration(Migration& migration, const MigrateOptions& options, const ChosenEngine& chosen,
                                       ProgressStyle style);

}  // namespace phalanx

// Migrating many files, side by side, with a manifest.
#pragma once

#include "files/migration/file_migration.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/migrate/options.hpp"
#include "program/cli/options/engine_choice.hpp"

namespace phalanx {

/// Migrates what the options name, prints what becomes of each file, and returns the exit code: 0, or that of the failures
/// if they are alike, or 1. Throws Error if the run as a whole cannot go on: the folders, the list or the manifest.
[[nodiscard]] int print_tree_migration(Migration& migration, const MigrateOptions& options, const ChosenEngine& chosen,
                                       ProgressStyle style);

}  // namespace phalanx

// This migrates a tree, its files side by side, with a manifest.
#pragma once

#include "files/migration/file_migration.hpp"
#include "files/migration/trees/tree_settings.hpp"
#include "files/migration/trees/tree_summary.hpp"

namespace phalanx {

/// Migrates what the settings name; the old files that they say go once their containers are durable and their plaintexts
/// are vouched for. Throws Error if the run as a whole cannot go on: the folders, the list or the manifest.
TreeSummary run_tree_migration(Migration& migration, const TreeMigrationSettings& settings, TreeObserver& observer);

}  // namespace phalanx

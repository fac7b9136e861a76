// These are the options of `phalanx migrate`.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/migration.hpp>
#include <string>

#include "files/migration/trees/tree_settings.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/binding_options.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/options/index_options.hpp"
#include "program/cli/options/raw_options.hpp"

namespace phalanx {

/// Holds the options as given. `from` is the old side, whose options have raw's names behind "--from-".
struct MigrateOptions {
  std::string in, out;
  RawOptions from;
  ContainerOptions container;
  BindingOptions binding;
  TreeMigrationOptions given;  ///< under the library's names; for one file too, where they apply
  bool no_verify = false;
  bool no_preserve = false;
  bool doubt_is_ok = false;
  bool dry_run = false;
  bool verify_only = false;
  bool resume = false;
  bool json = false;
  std::optional<std::string> manifest;
  std::optional<std::string> report;  ///< write what a manifest says, and do nothing else
  std::optional<std::string> from_tree, from_list, to_tree;
  bool null = false;  ///< the list's names end with a zero byte
  std::optional<int> num_jobs;
  IndexOptions index;
  RequestedEngine engine;
  MessageOptions messages;

  /// Says whether nothing is written or removed.
  [[nodiscard]] bool only_reads() const { return dry_run || verify_only; }

  /// Says whether anything is given of the old files' cipher or keys. Only --verify-only can go without.
  [[nodiscard]] bool describes_old() const {
    return !from.cipher.empty() || !from.secrets.named.empty() || from.find_all || from.openssl || from.cms.is_given ||
           from.openpgp.is_given;
  }

  /// Says whether the run is over many files. They need a manifest, but for a dry run.
  [[nodiscard]] bool is_of_tree() const { return manifest || (dry_run && (from_tree || from_list)); }
  [[nodiscard]] TreeMigrationSettings tree_options() const;
};

void add_migrate_options(CLI::App& command, MigrateOptions& options);

/// Throws Error (usage) where the options that say which files are migrated, and how, do not fit each other.
void check_migrate_options(const MigrateOptions& options);

}  // namespace phalanx

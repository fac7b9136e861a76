// Attempts to migrate one file of a tree: its container is made or compared, and the old file removed.
#pragma once

#include <string>

#include "files/container/results/earlier_salts.hpp"
#include "files/container/results/output_registry.hpp"
#include "files/container/results/tree_folders.hpp"
#include "files/migration/file_migration.hpp"
#include "files/migration/manifest/container_names.hpp"
#include "files/migration/manifest/manifest.hpp"
#include "files/migration/trees/indexed_containers.hpp"
#include "files/migration/trees/orphaned_containers.hpp"
#include "files/migration/trees/source_tree.hpp"
#include "files/migration/trees/tree_settings.hpp"
#include "files/migration/trees/tree_summary.hpp"
#include "files/system/file_clock.hpp"

namespace phalanx {

/// The manifest and the report take this about one file.
struct FileAttempt {
  ManifestRecord record{};
  MigratedFile migrated{};
  bool undecryptable = false;
  bool postponed = false;  ///< until a later save of it would show
  std::string why_kept{};

  [[nodiscard]] bool is_done() const { return record.state == MigratedAs::done; }
};

/// Any number of threads may use it, for one file each.
class FileAttempts {
 public:
  /// An attempt needs these parts of the run. All stay the caller's.
  struct Run {
    const Migration& migration;
    const TreeMigrationSettings& settings;
    TreeObserver& observer;
    const SourceTree& files;
    Manifest& manifest;
    const ContainerNames& names;
    const IndexedContainers& indexed;
    SharedSync* shared;  ///< makes containers and manifest durable; nullptr: each by itself
  };
  explicit FileAttempts(const Run& run);

  /// Where the container of this old file goes.
  [[nodiscard]] ResultPlace place_of(const ListedFile& entry) const {
    return run_.files.place_of(run_.names.name_of(entry.name));
  }

  /// The container of this old file stands: no other file of the run replaces it, and its folder gets the old one's time.
  void keep(const ListedFile& entry);

  /// Makes the container, or compares the one that is there with the old file. `force` replaces it. The record tells of
  /// a failure.
  [[nodiscard]] FileAttempt attempt(const ListedFile& entry, bool force, Progress& progress);

  /// Waits until the saves of all files that were postponed would show. After that none is postponed.
  void await_postponed();
  [[nodiscard]] bool has_waited() const { return has_waited_; }

  /// Puts down whether the key is in doubt, as far as is known now.
  void judge_key(FileAttempt& attempt) const;

  /// Returns whether the old file is to be removed now. The manifest says so before the removal. A kill may come right
  /// behind it, and then a file of other content under the same name.
  [[nodiscard]] bool is_to_go(const FileAttempt& attempt) const;

  /// Removes it, and says so in the manifest: once the container is on the disk under its name, and the manifest says that.
  void remove_source(const ListedFile& entry, FileAttempt& attempt);

  /// Gives the folders their times, once nothing more is put into them.
  void finish() { folders_.finish(); }

 private:
  [[nodiscard]] MigratedFile migrate(const ListedFile& entry, bool force, Input& input, Progress& progress);
  [[nodiscard]] bool goes_on(const ListedFile& entry, const MigrationTarget& target) const;
  [[nodiscard]] MigratedFile make(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress);
  [[nodiscard]] MigratedFile write(const ListedFile& entry, Input& input, MigrationTarget target, Progress& progress);
  void look_for_salts(const std::string& name);
  void require_replaceable(const ListedFile& entry, bool force, const Input& input) const;
  void migrate_or_skip(const ListedFile& entry, bool force, FileAttempt& attempt, Progress& progress);
  void begin_clock(const ListedFile& entry);
  void judge_age(const ListedFile& entry, const Input& input, FileAttempt& attempt);

  const Run run_;
  OrphanedContainers orphans_;
  OutputRegistry outputs_;
  EarlierSalts salts_;
  FileClocks clocks_;
  TreeFolders folders_;
  bool has_waited_ = false;
};

}  // namespace phalanx

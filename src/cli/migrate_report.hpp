// What `phalanx migrate` prints: what became of each file, and of all of them.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "cli/engine_choice.hpp"
#include "cli/manifest.hpp"
#include "io/migrating.hpp"

namespace phalanx {

/// What is said of a file while it is migrated.
struct MigrationNotes {
  std::string label;     ///< before each note
  bool verbose = false;  ///< which engines run, and why
  bool findings = true;  ///< which digest was found, and what of an earlier run
};

/// Says so, on standard error, when the file is begun.
void print_beginning(const MigrationNotes& notes, const MigrationBeginning& beginning, const ChosenEngine& chosen);

/// A line of standard output, in one write, so that those of several threads stay whole. Control characters, which names
/// of files may hold, become '?'.
void put_line(std::string line);

/// What a migration found out about its old file, for the file's record.
void put_found(const MigratedFile& migrated, ManifestRecord& record);

/// The lines of a single migration, on standard output.
void print_migrated(const MigratedFile& migrated, bool json);

/// Of many files. Any number of threads may add to it.
class MigrationReport {
 public:
  MigrationReport(bool json, bool quiet) : json_(json), quiet_(quiet) {}

  /// Prints what became of a file: a failure on standard error, anything else on standard output.
  void add(const ManifestRecord& record, const MigratedFile& migrated);

  /// Says, at the end, that the run was given up, and what is probably wrong: most failures have this code.
  void stop_early(std::uint64_t num_failed, std::uint64_t num_tried, ErrorCode code);

  /// Counts a file that an earlier run has done.
  void add_settled();

  /// Prints the summary: how many files have which state, and where that stands.
  void finish(const std::string& manifest_path) const;

  /// 0 if no file failed; the exit code of the failures if they are alike; 1 otherwise.
  [[nodiscard]] int exit_code() const;

 private:
  bool json_;
  bool quiet_;
  mutable std::mutex mutex_;
  std::uint64_t num_done_ = 0, num_settled_ = 0, num_skipped_ = 0, num_doubtful_ = 0, num_deleted_ = 0;
  std::string why_stopped_;
  std::map<int, std::uint64_t> num_failed_;  // by exit code
};

}  // namespace phalanx

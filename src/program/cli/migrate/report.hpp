// What `phalanx migrate` prints: what became of each file, and of all of them.
#pragma once

#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "files/migration/file_migration.hpp"
#include "files/migration/trees/tree_migration.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/general_options.hpp"

namespace phalanx {

/// What is said of a file while it is migrated.
struct MigrationNotes {
  std::string label;     ///< before each note
  bool verbose = false;  ///< which engines run, and why
  bool findings = true;  ///< which digest was found, and what of an earlier run
  bool warnings = true;  ///< of what its standard forbids
};

/// Says so, on standard error, when the file is begun.
void print_beginning(const MigrationNotes& notes, const MigrationBeginning& beginning, const ChosenEngine& chosen);

/// A line of standard output, in one write, so that those of several threads stay whole; a plain_line, since names of files
/// may hold anything.
void put_line(const std::string& text);

/// JSON in a line that put_line leaves as it is.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// What is said of how a file was opened, as members of a JSON object.
void put_evidence(nlohmann::ordered_json& json, const OpenedWith& with);
/// Puts a doubt, its sentence and its kind.
void put_doubt(nlohmann::ordered_json& json, const Doubt& doubt);

/// What became of the old file of a single migration.
struct SourceVerdict {
  bool deleted = false;
  Doubt doubt{};       ///< why its plaintext may be garbage
  std::string kept{};  ///< why it stays, though it was to go
};

/// The lines of a single migration, on standard output.
void print_migrated(const MigratedFile& migrated);

/// The same as one line of JSON.
void print_migrated_json(const MigratedFile& migrated, const SourceVerdict& verdict);

/// What a run over many files shows while it goes on: a line for each, or one line of progress. Both on one terminal would
/// run into each other, so `auto` means lines there.
[[nodiscard]] ProgressStyle style_beside_lines(ProgressStyle style, const MessageOptions& messages);

/// How lines about files are printed: beside a bar they wait for its end.
struct LineStyle {
  bool json = false;
  bool quiet = false;
  bool hold_results = false;
  bool hold_errors = false;
};

[[nodiscard]] LineStyle line_style_beside(ProgressStyle style, bool json, bool quiet);

/// Of many files. Any number of threads may add to it.
class MigrationReport {
 public:
  explicit MigrationReport(const LineStyle& style) : style_(style) {}

  /// Prints what became of a file: a failure, and why an old file is kept, on standard error, anything else on standard
  /// output.
  void add(const ManifestRecord& record, const MigratedFile& migrated);

  /// Says, at the end, that the run was given up, and what is probably wrong: most failures have this code.
  void stop_early(ErrorCode code);

  /// Prints what was held back.
  void print_held();

  /// Prints the summary: how many files have which state, how many were not tried, and where that stands.
  void finish(const TreeSummary& summary, const std::string& manifest_path);

 private:
  void put_result(const std::string& line);
  void put_failure(const std::string& line);

  LineStyle style_;
  std::mutex mutex_;
  std::vector<std::string> held_results_, held_errors_;
  std::string probable_cause_;  // where the run was given up
};

/// The exit code of the failures if they are alike, and 1 otherwise; where there is none, that of doubts, or 0.
[[nodiscard]] int exit_code_of_all(const TreeSummary& summary, bool doubt_is_ok);

}  // namespace phalanx

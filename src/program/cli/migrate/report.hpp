// This prints what became of each file of `phalanx migrate`, and of all of them.
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

/// Says which notes a file gets while it is migrated.
struct MigrationNotes {
  std::string label;     ///< stands before each note
  bool verbose = false;  ///< which engines run, and why
  bool findings = true;  ///< which digest was found, and what of an earlier run
  bool warnings = true;  ///< what the cipher's standard forbids
};

/// Prints these notes on standard error when the file is begun.
void print_beginning(const MigrationNotes& notes, const MigrationBeginning& beginning, const ChosenEngine& chosen);

/// Prints a line on standard output, in one write, so that those of several threads stay whole. It is a plain_line, since
/// names of files may hold anything.
void put_line(const std::string& text);

/// Returns JSON in a line that put_line leaves as it is.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& json);

/// Puts how a file was opened, as members of a JSON object.
void put_evidence(nlohmann::ordered_json& json, const OpenedWith& with);
/// Puts a doubt, its sentence and its kind.
void put_doubt(nlohmann::ordered_json& json, const Doubt& doubt);

/// Says what became of the old file of a single migration.
struct SourceVerdict {
  bool deleted = false;
  Doubt doubt{};       ///< why its plaintext may be garbage
  std::string kept{};  ///< why it stays, though it was to go
};

/// Prints the lines of a single migration on standard output.
void print_migrated(const MigratedFile& migrated);

/// Prints a single migration as one line of JSON.
void print_migrated_json(const MigratedFile& migrated, const SourceVerdict& verdict);

/// Returns what a run over many files shows while it goes on: a line for each, or one line of progress. Both on one terminal
/// would run into each other, so `auto` means lines there.
[[nodiscard]] ProgressStyle style_beside_lines(ProgressStyle style, const MessageOptions& messages);

/// Says how lines about files are printed. Beside a bar they wait for its end.
struct LineStyle {
  bool json = false;
  bool quiet = false;
  bool hold_results = false;
  bool hold_errors = false;
};

[[nodiscard]] LineStyle line_style_beside(ProgressStyle style, bool json, bool quiet);

/// Reports the migration of many files. Any number of threads may add to it.
class MigrationReport {
 public:
  explicit MigrationReport(const LineStyle& style) : style_(style) {}

  /// Prints what became of a file. A failure, and why an old file is kept, go to standard error, and all else to standard
  /// output.
  void add(const ManifestRecord& record, const MigratedFile& migrated);

  /// Says at the end that the run was given up, and what is probably wrong, since most failures have this code.
  void stop_early(ErrorCode code);

  /// Prints what was held back.
  void print_held();

  /// Prints the summary: how many files have which state, how many were not tried, and which manifest says more.
  void finish(const TreeSummary& summary, const std::string& manifest_path);

 private:
  void put_result(const std::string& line);
  void put_failure(const std::string& line);

  LineStyle style_;
  std::mutex mutex_;
  std::vector<std::string> held_results_, held_errors_;
  std::string probable_cause_;  // where the run was given up
};

/// Returns the exit code of the failures if they are alike, and 1 if not. Old files that are kept, and containers that the
/// index does not have, count as failures. Where there is no failure, returns that of doubts, or 0.
[[nodiscard]] int exit_code_of_all(const TreeSummary& summary, bool doubt_is_ok);

}  // namespace phalanx

// A migration of a tree tells an observer of its files, and counts them in a summary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "files/migration/file_migration.hpp"
#include "files/migration/manifest/manifest_record.hpp"

namespace phalanx {

/// Hears of a run. An exception from it ends the run; the files that are done stay done.
class TreeObserver {
 public:
  TreeObserver() = default;
  TreeObserver(const TreeObserver&) = delete;
  TreeObserver& operator=(const TreeObserver&) = delete;
  virtual ~TreeObserver() = default;

  /// The run calls this first, and once: so many bytes are to be read. Any thread adds to the returned progress.
  virtual Progress& begin(std::uint64_t num_bytes) = 0;

  /// Throws if the run is to end: asked before each file, and after each that failed, which then is not told of. Any thread.
  virtual void require_going() {}

  /// A file is open and its container begun. Any thread.
  virtual void on_beginning(const std::string& /*name*/, const MigrationBeginning& /*beginning*/) {}

  /// A container could not keep these extended attributes of its old file. Any thread.
  virtual void on_lost_attributes(const std::string& /*out*/, const std::vector<std::string>& /*names*/) {}

  /// A file is finished, one way or another. A file that is doubtful is told at the end of the run, for it may be
  /// vouched for until then. These calls come one at a time.
  virtual void on_file(const ManifestRecord& /*record*/, const MigratedFile& /*migrated*/) {}

  /// The run is given up, since so many of so many files could not be opened, most of them for this. Any thread, once.
  virtual void on_stopped_early(ErrorCode /*most*/) {}
};

/// A run counts all its files here.
struct TreeSummary {
  std::uint64_t num_done = 0;
  std::uint64_t num_settled = 0;  ///< done by an earlier run
  std::uint64_t num_failed = 0;
  std::uint64_t num_skipped = 0;
  std::uint64_t num_doubtful = 0;  ///< of those that are done, by this run or an earlier one
  std::uint64_t num_deleted = 0;
  std::uint64_t num_kept = 0;            ///< though they were to go
  std::uint64_t num_left = 0;            ///< not tried
  std::uint64_t num_taken_as_found = 0;  ///< containers that are in the index now only because they open
  std::uint64_t num_not_indexed = 0;     ///< of the manifest, that are gone, do not open, or are not those of the index
  IndexGeneration index{};               ///< what the run has appended to it
  bool is_stopped_early = false;
  std::map<ErrorCode, std::uint64_t> failed_codes{};
  std::map<std::string, std::uint64_t> failed_reasons{};

  /// Counts what became of a file.
  void add(const ManifestRecord& record);
};

/// Counts the files of a run that could not be opened, and why. If they are most files, the run is given up.
class UndecryptableFiles {
 public:
  /// Counts a file that was tried, or that an earlier run had done.
  void add(bool undecryptable, ErrorCode code) {
    ++num_tried_;
    if (!undecryptable) return;
    ++total_;
    ++by_code_[code];
  }

  /// Returns whether they are twenty at least, and more than half of those that were counted.
  [[nodiscard]] bool are_most() const { return total_ >= 20 && total_ * 2 > num_tried_; }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t num_tried() const { return num_tried_; }
  /// There is one at least.
  [[nodiscard]] ErrorCode most_frequent() const {
    return std::ranges::max_element(by_code_, {}, [](const auto& entry) { return entry.second; })->first;
  }

 private:
  std::map<ErrorCode, std::uint64_t> by_code_;
  std::uint64_t num_tried_ = 0, total_ = 0;
};

}  // namespace phalanx

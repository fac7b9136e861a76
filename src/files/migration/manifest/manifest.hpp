// The manifest of a migration of many files says what became of each of them.
//
// One line of JSON names the two folders. Then comes one line for each file that is finished, one way or another. A
// line is appended and made durable after its file, so a line never says more than what is on the disk. A run that is
// killed at any moment loses no finished file: a file without a line is simply done again. Lines are appended, since
// replacing the manifest for each of a million files would write a million lines a million times. A crash can tear only
// the last line, which the next run cuts off. The newest line of a name counts. Nothing in the manifest is secret, nor
// derived from a secret or from plaintext.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "files/migration/manifest/manifest_record.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/shared_sync.hpp"
#include "files/system/protected_files.hpp"

namespace phalanx {

/// `look` and `preview` change and lock nothing. `look` needs a manifest that is there. `preview` takes a missing
/// manifest for an empty one, since the run that would make it is still to come.
enum class ManifestUse : unsigned char { append, look, preview };

class Manifest {
 public:
  /// Opens or creates the manifest at `path`, and locks it. Throws Error: usage if it is of other folders, in use by
  /// another run, or missing. Throws Error: format if it is no manifest or damaged, and runtime if it cannot be read or
  /// written.
  Manifest(const std::string& path, const ManifestTrees& trees, ManifestUse use) : Manifest(path, &trees, use) {}

  /// Looks at a manifest, of whatever folders it is. Throws Error as the other does.
  explicit Manifest(const std::string& path) : Manifest(path, nullptr, ManifestUse::look) {}

  /// The folders that the manifest at this path says it is of.
  [[nodiscard]] const ManifestTrees& trees() const { return trees_; }

  /// The newest record of a name, from before this run or of it.
  [[nodiscard]] std::optional<ManifestRecord> find(const std::string& name) const;

  /// The newest record of a name that says that it is done, whatever a later run said of a file of that name.
  [[nodiscard]] std::optional<ManifestRecord> find_done(const std::string& name) const;

  /// Calls `act` with the newest record of each name, in the order of the names, and with the newest that says that it is
  /// done, or nullptr. `act` may not call the manifest.
  void for_each(const std::function<void(const ManifestRecord& newest, const ManifestRecord* done)>& act) const;

  /// Calls `act` with the newest record of each name that says that its file is done, whatever a later run said of a
  /// file of that name. The container is there. `act` may not call the manifest.
  void for_each_done(const std::function<void(const ManifestRecord&)>& act) const;

  /// Appends a record and makes it durable, together with other files of the run where `shared` is given. Any number of
  /// threads may call it. Throws Error (runtime).
  void append(const ManifestRecord& record, SharedSync* shared = nullptr);

  /// The manifest itself is none of the files that are migrated.
  void add_to(ProtectedFiles& needed) const {
    if (file_.is_open()) needed.add_descriptor(file_.get(), "the manifest");
  }

 private:
  Manifest(const std::string& path, const ManifestTrees* trees, ManifestUse use);
  void begin_appending(const ManifestTrees& trees);
  [[nodiscard]] bool is_missing() const;
  void read_records(const ManifestTrees* trees);
  void require_beginning(const std::string& line) const;
  void require_name() const;
  void append_line(const std::string& line);
  void sync(std::uint64_t end, SharedSync* shared);
  [[nodiscard]] bool sync_alone(std::uint64_t end);
  void keep(ManifestRecord record);

  std::string path_;
  ManifestTrees trees_;
  FileDescriptor file_;
  FileIdentity identity_;
  mutable std::mutex mutex_;
  std::uint64_t size_bytes_ = 0;  // of whole lines
  std::mutex sync_mutex_;
  std::uint64_t durable_bytes_ = 0;  // lines up to here are on the disk
  std::atomic<int> sync_error_ = 0;  // the failure of a sync, which lasts: what another says then is not of all lines
  std::map<std::string, ManifestRecord> records_;
  std::map<std::string, ManifestRecord> done_before_;  // of names whose newest record is another
};

}  // namespace phalanx

// The manifest of a migration of many files: what became of each of them.
//
// One line of JSON names the two folders; then comes one line for each file that is finished, one way or another. A line is
// appended and made durable after the file it tells of, so a line never says more than what is on the disk, and a run that
// is killed at any moment loses no finished file: what has no line is simply done again. Lines are appended rather than the
// file replaced, because a million files would otherwise mean writing a million-line file a million times; a crash can tear
// only the last line, which the next run cuts off. The newest line of a name counts. Nothing in it is secret, nor derived
// from a secret or from plaintext.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "files/file_descriptor.hpp"
#include "files/file_identity.hpp"
#include "files/protected_files.hpp"

namespace phalanx {

enum class MigrationState : unsigned char { done, failed, skipped };

/// "done", "failed" or "skipped".
[[nodiscard]] const char* state_name(MigrationState state);

/// What became of one file.
struct ManifestRecord {
  std::string name;  ///< below the folder of the old files; any bytes that a name may have
  MigrationState state = MigrationState::done;
  int exit_code = 0;                   ///< of a failure: what the program would end with if it were alone
  std::string why;                     ///< of a failure or a skipped file
  std::string reason;                  ///< of a failure, in few words that many share: "wrong key"
  std::uint64_t in_bytes = 0;          ///< of a file that is done
  std::uint64_t out_bytes = 0;         ///< of its container
  bool verified = false;               ///< the container was read back
  std::string source;                  ///< which old file it was (mark_of); "" in manifests of earlier versions
  bool removing = false;               ///< the run goes on to remove the old file
  bool deleted = false;                ///< the old file was removed afterwards
  std::string kept;                    ///< why not, though that was asked for; "" if it was not, or there is doubt
  std::string doubt;                   ///< why it may have been opened with a wrong key; "" if its plaintext is vouched for
  std::string found;                   ///< what it was opened with, in words
  std::size_t padding_bytes = 0;       ///< that spoke for that
  std::string kind;                    ///< of plaintext that was recognised, which spoke for it too
  std::vector<std::string> also_fits;  ///< what would have opened it, too
};

/// What tells an old file from a later one of its name: inode and time of its content, in text. Its device may have another
/// number after a restart.
[[nodiscard]] std::string mark_of(const FileStamp& old_file);

/// Whether the old file that stands under a name is the one that its record tells of, as far as that can be known.
[[nodiscard]] bool is_source_of(const ManifestRecord& done, const FileStamp& old_file);

/// The folders that a manifest belongs to, as absolute paths.
struct ManifestTrees {
  std::string from;
  std::string to;
};

/// What a manifest is opened for: `look` and `preview` change and lock nothing. `look` needs one that is there;
/// `preview` takes one that is not there for an empty one, since the run that would make it is still to come.
enum class ManifestUse : unsigned char { append, look, preview };

class Manifest {
 public:
  /// Opens or creates the manifest at `path`, and locks it. Throws Error: usage if it is of other folders, in use by another
  /// run, or not there to look at; format if it is no manifest or damaged; runtime if it cannot be read or written.
  Manifest(const std::string& path, const ManifestTrees& trees, ManifestUse use);

  /// The newest record of a name, from before this run or of it.
  [[nodiscard]] std::optional<ManifestRecord> find(const std::string& name) const;

  /// Of each name the newest record of a file that is done, whatever a later run said of a file of that name: the container
  /// is there. What is done with a record may not call the manifest.
  void for_each_done(const std::function<void(const ManifestRecord&)>& act) const;

  /// Appends a record and makes it durable. Any number of threads may call it. Throws Error (runtime).
  void append(const ManifestRecord& record);

  /// The manifest itself is none of the files that are migrated.
  void add_to(ProtectedFiles& needed) const {
    if (file_.is_open()) needed.add_descriptor(file_.get(), "the manifest");
  }

 private:
  void begin_appending(const ManifestTrees& trees);
  [[nodiscard]] bool is_missing() const;
  void read_records(const ManifestTrees& trees);
  void require_beginning(const std::string& line) const;
  void require_name() const;
  void append_line(const std::string& line);
  void keep(ManifestRecord record);

  std::string path_;
  FileDescriptor file_;
  FileIdentity identity_;
  mutable std::mutex mutex_;
  std::uint64_t size_bytes_ = 0;  // of whole lines
  std::map<std::string, ManifestRecord> records_;
  std::map<std::string, ManifestRecord> done_before_;  // of names whose newest record is another
};

/// What a record says of how its file was opened, as members of a JSON object.
void put_evidence(nlohmann::ordered_json& json, const ManifestRecord& record);

/// One record as its line, without the line end: what the manifest holds.
[[nodiscard]] std::string manifest_line(const ManifestRecord& record);

}  // namespace phalanx

// A record says what became of one file of many. It is one line of JSON in the manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/error.hpp>
#include <phalanx/files/migration.hpp>
#include <string>
#include <string_view>

#include "files/foreign/search/key_evidence.hpp"
#include "files/system/file_identity.hpp"

namespace phalanx {

/// "done", "failed" or "skipped".
[[nodiscard]] const char* state_name(MigratedAs state);

/// The manifest keeps this about one file.
struct ManifestRecord {
  std::string name;  ///< below the folder of the old files; any bytes that a name may have
  MigratedAs state = MigratedAs::done;
  ErrorCode code = ErrorCode::runtime;  ///< of a failure
  std::string why;                      ///< of a failure or a skipped file
  std::string reason;                   ///< of a failure, in few words that many share: "wrong key"
  std::uint64_t in_bytes = 0;           ///< of a file that is done
  std::uint64_t out_bytes = 0;          ///< of its container
  bool verified = false;                ///< the container was read back
  std::string stripped{};               ///< the end of `name` that its container's name lacks: ".des3"
  std::string source;                   ///< which old file it was (mark_of); "" in manifests of earlier versions
  bool removing = false;                ///< the run goes on to remove the old file
  bool deleted = false;                 ///< the old file was removed afterwards
  std::string kept;                     ///< why not, though that was asked for; "" if it was not, or there is doubt
  Doubt doubt;      ///< why it may have been opened with a wrong key; none if its plaintext is vouched for
  KeyCount key;     ///< how often that key had opened and failed, as far as it is doubtful
  OpenedWith with;  ///< the line has what was found, its padding, what else fits, and the kind

  /// The name of its container below the folder of the containers.
  [[nodiscard]] std::string container() const;
};

/// The name that the container of an old file has where `stripped`, which it ends with, is taken off.
[[nodiscard]] std::string container_name(const std::string& old_name, const std::string& stripped);

/// Returns a mark in text that tells an old file from a later one of its name: its inode, and the time of its content.
/// The device is left out, since it may have another number after a restart.
[[nodiscard]] std::string mark_of(const FileStamp& old_file);

/// Returns whether the old file that stands under a name is the one that its record tells of, as far as that can be
/// known.
[[nodiscard]] bool is_source_of(const ManifestRecord& done, const FileStamp& old_file);

/// The folders that a manifest belongs to, as absolute paths.
struct ManifestTrees {
  std::string from;
  std::string to;
};

/// Names a failure in few words, by which failed files are counted.
[[nodiscard]] const char* reason_of(ErrorCode code, std::uint64_t in_bytes = 1);

/// One record as its line, without the line end: what the manifest holds. It has the code as the program's exit code, as the
/// manual page lists them.
[[nodiscard]] std::string manifest_line(const ManifestRecord& record);

/// The record of a line. Throws Error (usage), which does not say where, if it is none.
[[nodiscard]] ManifestRecord read_manifest_line(std::string_view line);

/// The first line of a manifest, without the line end; how each begins; and what it says.
[[nodiscard]] std::string manifest_header(const ManifestTrees& trees);
inline constexpr std::string_view manifest_beginning = "{\"phalanx_manifest\"";
struct ManifestHeader {
  bool is_later = false;  ///< of a version that is not known here: the folders are not read
  ManifestTrees trees{};
};
[[nodiscard]] ManifestHeader read_manifest_header(std::string_view line);

}  // namespace phalanx

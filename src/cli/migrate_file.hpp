// Migrating one file: old ciphertext in, container out, in one pass; then the container is read back.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "cli/general_options.hpp"
#include "cli/raw_plan.hpp"
#include "engines/secret_bytes.hpp"
#include "io/calibration_file.hpp"
#include "io/container_writing.hpp"
#include "io/progress.hpp"

namespace phalanx {

/// What all files of a run have in common. Nothing changes in it, so files may be migrated side by side.
struct Migration {
  RawPlan old_side;
  SecretBytes old_secret;  ///< key or passphrase
  ContainerJob container;
  bool verify = true;
  EngineOptions engine;
  FoundCalibration calibration;
};

/// What is said of a file while it is migrated.
struct MigrationNotes {
  std::string label;     ///< before each note
  bool verbose = false;  ///< which engines run, and why
  bool findings = true;  ///< which digest was found, and what of an earlier run
};

struct MigrationPaths {
  std::string in, out;
  bool force = false;   ///< replace OUT
  bool resume = false;  ///< go on with OUT.phalanx-partial, and keep it if the run ends early
  MigrationNotes notes{};
};

/// Which file, and in which state: what must not change between its first and its last byte.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified{};

  explicit FileStamp(const struct stat& status)
      : device(status.st_dev), inode(status.st_ino), size(status.st_size), modified(status.st_mtim) {}
  FileStamp() = default;
  [[nodiscard]] bool operator==(const FileStamp& other) const;
};

/// What a migration gave.
struct MigratedFile {
  FileStamp source;
  std::uint64_t in_bytes = 0;
  std::uint64_t out_bytes = 0;
  std::string digest;            ///< SHA-256 of the plaintext as IN gave it, in hex; "" if it was not verified
  std::string read_back_digest;  ///< the same of what OUT gave
  std::string digest_note;       ///< which digest of `openssl enc` was found
};

/// Migrates IN to OUT. Where asked to verify, OUT gets its name only once it was read back and gave the same plaintext. Throws Error
/// as RawRun's parts do for IN, as ContainerWriter does for OUT, authentication where what is read back is not what was
/// written, runtime where IN changed meanwhile.
///
/// `progress` counts what is read, of IN and then of OUT.
MigratedFile migrate_file(const Migration& migration, const MigrationPaths& paths, Progress& progress);

/// Reads an IN and an OUT that are both there, and compares. Throws Error (usage) if OUT does not hold IN's plaintext.
MigratedFile compare_migrated(const Migration& migration, const MigrationPaths& paths, Progress& progress);

/// Removes the old file, durably, unless it is no longer the file that `migrated` was made from. Throws Error (runtime).
void delete_source(const std::string& path, const MigratedFile& migrated);

}  // namespace phalanx

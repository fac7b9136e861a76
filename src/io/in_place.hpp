// Crypting a file where it lies, so that a killed run can go on.
#pragma once

#include <string>

#include "io/chunk_cipher.hpp"
#include "io/journal.hpp"
#include "io/progress.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

/// A regular file that a length-preserving job overwrites with its own crypted content, piece by piece (journal.hpp).
class InPlaceFile {
 public:
  /// Opens `path`, following links. Throws Error (usage) if it is not a regular file.
  explicit InPlaceFile(const std::string& path);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

  /// Crypts all of it, or the rest of it if a journal tells of a run that was stopped. `identity` names the command and the
  /// key. Returns the bytes that this run found done already. An empty file is left as it is.
  std::uint64_t crypt(ChunkCipher& cipher, const CryptJob& job, const JournalIdentity& identity, std::size_t block_bytes,
                      Progress& progress);

 private:
  struct Run;
  void resume(Run& run) const;
  void load_piece(Run& run) const;
  void crypt_piece(Run& run, bool in_journal) const;
  void overwrite_piece(const Run& run) const;

  std::string path_;
  FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace phalanx

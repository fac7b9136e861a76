// A message of an AEAD is read twice: once for its tag, and once more to be decrypted.
#pragma once

#include <cstdint>

#include "files/foreign/aead/aead_in_parts.hpp"
#include "files/foreign/aead/aead_stages.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/run_executor.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Holds what the first reading found: the hash of each piece. Both readings have pieces of one size.
class AeadReadings {
 public:
  /// The message has at most so many bytes.
  AeadReadings(std::uint64_t most_bytes, std::size_t piece_bytes);

  [[nodiscard]] std::size_t piece_bytes() const { return piece_bytes_; }
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }  ///< of ciphertext, once it was read
  [[nodiscard]] PieceHashes& hashes() { return hashes_; }

  /// Does the first reading. The associated data of `message` do not count here.
  void hash(const AeadInParts& message, PieceReader& pieces, const RunOptions& options, Progress& progress);
  /// Returns whether this is the tag of the message, or the beginning of it, in constant time.
  [[nodiscard]] bool is_tag(const AeadInParts& message, Bytes tag);

 private:
  std::size_t piece_bytes_;
  PieceHashes hashes_;
  std::uint64_t num_bytes_ = 0;
};

}  // namespace phalanx

// Crypts a message chunk by chunk, whatever its mode: what chains from one chunk to the next, and what its end needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/direction.hpp"
#include "io/chunk.hpp"
#include "io/pipeline.hpp"
#include "io/raw_cipher.hpp"
#include "modes/mode.hpp"
#include "phalanx/old_data.hpp"

namespace phalanx {

/// What is done to a message besides its key.
struct CryptJob {
  Direction direction = Direction::encrypt;
  Mode mode = Mode::ecb;
  ChainValue iv;                    ///< empty for ECB and XTS sectors
  Padding padding = Padding::none;  ///< ECB and CBC only
  SectorLayout sectors;             ///< XTS only
};

/// The chunk for a job: a multiple of the sector.
[[nodiscard]] std::size_t chunk_bytes_for(const CryptJob& job);

class ChunkCipher : public ChunkStage {
 public:
  /// The cipher stays the caller's.
  ChunkCipher(const RawCipher& cipher, const CryptJob& job);
  ~ChunkCipher() override;
  ChunkCipher(const ChunkCipher&) = delete;
  ChunkCipher& operator=(const ChunkCipher&) = delete;

  /// Crypts a chunk in place; the chunks of a message come in order. The last is padded or loses its padding.
  /// Throws Error: of a length that the mode or the padding does not take, usage when encrypting, truncated when
  /// decrypting; wrong_key where padding does not check.
  void process(Chunk& chunk) override;

  /// The same cipher for another job.
  [[nodiscard]] ChunkCipher with(const CryptJob& job) const { return {cipher_, job}; }

  /// Continues a message of which the part before `offset` is done. `preceding` is the ciphertext block before it (CBC,
  /// CFB). OFB runs through the message's beginning again, for its state must be kept nowhere.
  void resume(std::uint64_t offset, const ChainValue& preceding);

  /// How many bytes of padding were checked and taken off the last chunk; 0 before, or where nothing is checked.
  [[nodiscard]] std::size_t checked_padding_bytes() const { return checked_padding_bytes_; }

  /// Throws as process does if a message of this length does not fit.
  void check_length(std::uint64_t message_bytes) const;

 private:
  void crypt_range(Chunk& chunk);
  void crypt_sectors(Chunk& chunk) const;
  void pad(Chunk& chunk) const;
  void remove_padding_of(Chunk& chunk);

  const RawCipher& cipher_;
  CryptJob job_;
  std::size_t checked_padding_bytes_ = 0;
  ChainValue chain_;  // of a serial mode; OFB's is key stream
};

}  // namespace phalanx

// One message with its padding, from memory to memory.
#pragma once

#include <phalanx/cipher.hpp>
#include <phalanx/files/padding.hpp>

namespace phalanx {

/// Whether messages are whole blocks, so that somebody must say how they become so: ECB and CBC.
[[nodiscard]] bool takes_whole_blocks(const CipherFacts& facts);

/// How long a message of plain_bytes becomes.
[[nodiscard]] std::size_t padded_bytes(const CipherFacts& facts, Padding padding, std::size_t plain_bytes);

/// Pads and encrypts. `out` has padded_bytes() bytes, and is disjoint from `in` or begins where it does.
void encrypt_padded(const Cipher& cipher, Padding padding, Bytes iv, Bytes in, MutableBytes out);

/// The decryption of one message in two steps: what it holds is known before any of it is written.
class PaddedDecryption {
 public:
  /// Decrypts the last block and checks its padding. Throws Error: truncated; wrong_key.
  PaddedDecryption(const Cipher& cipher, Padding padding, Bytes iv, Bytes in);
  ~PaddedDecryption();
  PaddedDecryption(const PaddedDecryption&) = delete;
  PaddedDecryption& operator=(const PaddedDecryption&) = delete;

  [[nodiscard]] std::size_t message_bytes() const { return body_bytes_ + tail_bytes_; }
  /// `out` has message_bytes() bytes, and is disjoint from `in` or begins where it does.
  void write(MutableBytes out) const;

 private:
  const Cipher& cipher_;
  Bytes iv_;
  Bytes in_;
  std::size_t body_bytes_;  // all but a padded last block
  std::size_t tail_bytes_ = 0;
  std::uint8_t tail_[16] = {};
};

}  // namespace phalanx

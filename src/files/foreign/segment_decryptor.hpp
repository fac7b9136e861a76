// This decrypts CFB with segments of a byte or a bit, by the engine's ECB (SP 800-38A section 6.3).
#pragma once

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_decryptor.hpp"
#include "files/foreign/raw_cipher.hpp"

namespace phalanx {

/// The input block of a segment is what precedes it: the iv and the ciphertext, as far back as a block. All of it is known
/// before anything is decrypted, so that the blocks of many segments fill the lanes. Messages of CFB1 are whole bytes, the
/// most significant bit first, as `openssl enc` has them.
class SegmentDecryptor : public MessageDecryptor {
 public:
  /// `cipher` goes ForeignWay::segments.
  SegmentDecryptor(const ForeignCipher& cipher, Bytes key, const ChainValue& iv, const RunOptions& options);

  /// Decrypts a piece in place; pieces may come in any order.
  void process(Piece& piece) override;

  [[nodiscard]] const std::string& engine() const override { return cipher_.engine(); }
  void check_length(std::uint64_t /*message_bytes*/) const override {}

 private:
  void decrypt_bytes(Bytes register_and_text, MutableBytes windows, MutableBytes text) const;
  void decrypt_bits(Bytes register_and_text, MutableBytes windows, MutableBytes text) const;

  RawCipher cipher_;
  std::size_t block_bytes_;
  unsigned segment_bits_;
  ChainValue iv_;
};

}  // namespace phalanx

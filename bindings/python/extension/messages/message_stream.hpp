// One message that comes in parts of any size.
#pragma once

#include <memory>
#include <phalanx/cipher.hpp>
#include <phalanx/files/padding.hpp>

#include "engine/ciphers/direction.hpp"

namespace phalanx {

/// Encrypts or decrypts a message by parts, in any mode but XTS, whose data units are whole. One thread at a time.
class MessageStream {
 public:
  /// Throws Error: usage for XTS and an iv of another size; policy where the cipher does not encrypt.
  MessageStream(std::shared_ptr<const Cipher> cipher, Direction direction, Padding padding, Bytes iv);
  ~MessageStream();
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;

  /// How many bytes update gives for so many.
  [[nodiscard]] std::size_t update_bytes(std::size_t num_bytes) const;
  /// `out` has update_bytes() bytes and is disjoint from `in`, or begins where it does and nothing is kept from before.
  void update(Bytes in, MutableBytes out);
  /// Whether bytes of earlier parts wait for their block to fill.
  [[nodiscard]] bool keeps_bytes() const { return kept_ != 0; }

  /// The end of the message into `out`, which has a block's room; returns how many bytes it is. Throws Error: usage where
  /// plaintext without padding is not whole blocks; truncated; wrong_key.
  std::size_t finish(MutableBytes out);

 private:
  void crypt_blocks(Bytes in, MutableBytes out);
  void update_bytewise(Bytes in, MutableBytes out);
  void next_keystream();
  void use_keystream(Bytes in, MutableBytes out);

  std::shared_ptr<const Cipher> cipher_;
  Direction direction_;
  Padding padding_;
  bool bytewise_;    // CTR, CFB and OFB: every byte comes out as it goes in
  bool holds_last_;  // the last block waits, since it may be padding
  bool is_cfb_;
  std::size_t block_bytes_;
  ChainValue chain_;
  std::size_t kept_ = 0;         // bytes of a block that is not full: of the input, or of the key stream that are used
  std::uint8_t block_[16] = {};  // the input that waits; CFB: the ciphertext block that fills
  std::uint8_t keystream_[16] = {};
};

}  // namespace phalanx

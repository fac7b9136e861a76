// This decrypts foreign messages by libcrypto: in one thread, from the beginning to the end.
#pragma once

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/message_decryptor.hpp"
#include "files/libcrypto/decryption.hpp"

namespace phalanx {

class LibcryptoDecryptor : public MessageDecryptor {
 public:
  /// `cipher` is one of libcrypto's.
  LibcryptoDecryptor(const ForeignCipher& cipher, Bytes key, const CryptJob& job);

  [[nodiscard]] bool in_order() const override { return true; }
  void process(Piece& piece) override;

  [[nodiscard]] const std::string& engine() const override { return engine_; }
  void check_length(std::uint64_t message_bytes) const override;
  [[nodiscard]] std::size_t checked_padding_bytes() const override { return checked_padding_bytes_; }

 private:
  std::string engine_ = libcrypto_engine;
  LibcryptoDecryption decryption_;
  Mode mode_;
  Padding padding_;
  std::size_t block_bytes_;
  std::size_t checked_padding_bytes_ = 0;
};

/// Decrypts one block of ECB or CBC in place. `previous` is the ciphertext before it, or the iv.
void decrypt_block_by_libcrypto(const ForeignCipher& cipher, Bytes key, Bytes previous, MutableBytes block);

}  // namespace phalanx

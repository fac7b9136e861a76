// AES (FIPS 197), in the standard's own order and names.
#pragma once

#include <array>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

/// The Advanced Encryption Standard with a key of 16, 24 or 32 bytes.
class Aes final : public BlockCipher {
 public:
  /// Throws std::invalid_argument for any other length of key.
  explicit Aes(Bytes key);
  [[nodiscard]] std::size_t block_bytes() const override { return 16; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  static constexpr unsigned max_rounds = 14;
  unsigned Nr_ = 0;                                                    // the number of rounds
  std::array<std::array<std::uint8_t, 4>, 4 * (max_rounds + 1)> w_{};  // the key schedule, in words of four bytes
};

}  // namespace phalanx::reference

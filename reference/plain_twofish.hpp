// Twofish, as its authors define it: B. Schneier, J. Kelsey, D. Whiting, D. Wagner, C. Hall, N. Ferguson, "Twofish: A
// 128-Bit Block Cipher", 1998, section 4, in its order and names.
#pragma once

#include <array>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

/// Twofish with a key of 16, 24 or 32 bytes.
class Twofish final : public BlockCipher {
 public:
  /// Throws std::invalid_argument for any other length of key.
  explicit Twofish(Bytes key);
  [[nodiscard]] std::size_t block_bytes() const override { return 16; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  struct F {
    std::uint32_t F0, F1;
  };
  [[nodiscard]] std::uint32_t g(std::uint32_t X) const;
  [[nodiscard]] F round_function(std::uint32_t R0, std::uint32_t R1, unsigned r) const;

  std::vector<std::uint32_t> S_;       // the key of the S-boxes, a word for each 8 bytes of key
  std::array<std::uint32_t, 40> K_{};  // the expanded key words
};

}  // namespace phalanx::reference

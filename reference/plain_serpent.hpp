// Serpent, as its authors define it: R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced Encryption
// Standard", 1998.
//
// The paper prints keys and blocks as one large number, most significant digit first; as a string of bytes (least
// significant first, the order of NESSIE and of libgcrypt, and ours) such a number reads backwards.
#pragma once

#include <array>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

/// Serpent with a key of 16, 24 or 32 bytes.
class Serpent final : public BlockCipher {
 public:
  using Words = std::array<std::uint32_t, 4>;  // X0, X1, X2, X3

  /// Throws std::invalid_argument for any other length of key.
  explicit Serpent(Bytes key);
  [[nodiscard]] std::size_t block_bytes() const override { return 16; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  std::array<Words, 33> K_{};  // the subkeys K0 to K32
};

}  // namespace phalanx::reference

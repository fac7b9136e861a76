// DES (FIPS 46-3), double DES, and triple DES (SP 800-67), in the standards' own order and names.
#pragma once

#include <array>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

/// The Data Encryption Standard. The key has 8 bytes; the last bit of each, its parity bit, is ignored.
class Des final : public BlockCipher {
 public:
  static constexpr std::size_t key_bytes = 8;

  explicit Des(std::span<const std::uint8_t, key_bytes> key);
  [[nodiscard]] std::size_t block_bytes() const override { return 8; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  std::array<std::uint64_t, 16> ks_{};  // K1 to K16, each 48 bits
};

/// Double DES: E(K2, E(K1, P)). No standard defines it; it is DES twice, with the key K1 || K2.
class DoubleDes final : public BlockCipher {
 public:
  static constexpr std::size_t key_bytes = 16;

  explicit DoubleDes(std::span<const std::uint8_t, key_bytes> key);
  [[nodiscard]] std::size_t block_bytes() const override { return 8; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  Des first_, second_;
};

/// Triple DES, TDEA (SP 800-67 section 3): E(K3, D(K2, E(K1, P))), with the key bundle K1 || K2 || K3.
class TripleDes final : public BlockCipher {
 public:
  static constexpr std::size_t key_bytes = 24;
  static constexpr std::size_t two_key_bytes = 16;

  explicit TripleDes(std::span<const std::uint8_t, key_bytes> key);
  /// Keying option 2: K1 || K2, and K3 = K1.
  explicit TripleDes(std::span<const std::uint8_t, two_key_bytes> key);
  [[nodiscard]] std::size_t block_bytes() const override { return 8; }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;
  void decrypt_block(const std::uint8_t* in, std::uint8_t* out) const override;

 private:
  Des first_, second_, third_;
};

}  // namespace phalanx::reference

// XAES-256-GCM (c2sp.org/XAES-256-GCM) over the plain AES and GCM, in the specification's order and names.
#pragma once

#include <array>
#include <optional>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

inline constexpr std::size_t xaes_key_bytes = 32, xaes_nonce_bytes = 24;

/// What "Detailed key derivation algorithm" names on its way from a key and a nonce to those of AES-256-GCM.
struct XaesDerivation {
  std::array<std::uint8_t, 16> L, K1, M1, M2;
  std::array<std::uint8_t, 32> Kx;
  std::array<std::uint8_t, 12> Nx;
};

/// `K` has 32 bytes and `N` 24, else std::invalid_argument.
XaesDerivation derive_xaes(Bytes K, Bytes N);

/// The ciphertext followed by its tag of 16 bytes.
ByteVector xaes_seal(Bytes K, Bytes N, Bytes associated_data, Bytes in);

/// The plaintext of `in`, a ciphertext followed by its tag; nothing if the tag does not fit.
std::optional<ByteVector> xaes_open(Bytes K, Bytes N, Bytes associated_data, Bytes in);

}  // namespace phalanx::reference

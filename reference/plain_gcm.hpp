// GCM (SP 800-38D) over any cipher with a block of 16 bytes, in the standard's order and names.
#pragma once

#include <array>
#include <optional>

#include "reference/block_cipher.hpp"

namespace phalanx::reference {

using GcmBlock = std::array<std::uint8_t, 16>;

inline constexpr std::size_t gcm_tag_bytes = 16;

/// Section 6.3: the product X . Y of two blocks.
GcmBlock gf128_multiply(const GcmBlock& X, const GcmBlock& Y);

/// Section 6.4: GHASH under the hash subkey H. `X` is a whole number of 16-byte blocks, else std::invalid_argument.
GcmBlock ghash(const GcmBlock& H, Bytes X);

/// Section 7.1, GCM-AE: the ciphertext followed by its tag of 16 bytes. `nonce`, the standard's IV, has any length from 1
/// byte.
ByteVector gcm_seal(const BlockCipher& cipher, Bytes nonce, Bytes associated_data, Bytes in);

/// Section 7.2, GCM-AD: the plaintext of `in`, a ciphertext followed by its tag of 16 bytes; nothing (FAIL) if the tag does
/// not fit.
std::optional<ByteVector> gcm_open(const BlockCipher& cipher, Bytes nonce, Bytes associated_data, Bytes in);

}  // namespace phalanx::reference

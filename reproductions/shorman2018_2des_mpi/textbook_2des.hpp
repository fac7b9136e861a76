// Sections 3 and 4 of the paper: DES step by step from its tables, and double DES in ECB from two of them.
#pragma once

#include <cstdint>
#include <span>

#include "engine/ciphers/direction.hpp"

namespace papers::shorman2018 {

using phalanx::Direction;

inline constexpr std::size_t block_bytes = 8;
inline constexpr std::size_t key_bytes = 16;

/// The sixteen 48-bit keys K1 to K16 of one DES, K1 first.
struct SubKeys {
  std::uint64_t K[16];
};

/// Both keys, expanded.
struct DoubleKey {
  SubKeys first, second;
};

/// Step 1 for both keys.
DoubleKey make_double_key(std::span<const std::uint8_t, key_bytes> key);

/// C = E(K2, E(K1, P)), or P = D(K1, D(K2, C)), block after block. Whole blocks; `in` and `out` are of one size and may be
/// the same.
void crypt_ecb(const DoubleKey& key, Direction direction, std::span<const std::uint8_t> in, std::span<std::uint8_t> out);

}  // namespace papers::shorman2018

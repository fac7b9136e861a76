// Twofish, one block at a time, around a function g of two words: in plain words (twofish_sliced.hpp). With vectors:
// twofish_few_blocks.hpp.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "engine/ciphers/twofish/twofish_nibbles.hpp"

namespace phalanx {
namespace {

PHALANX_INLINE std::uint32_t twofish_rotate_left(std::uint32_t x, unsigned count) { return x << count | x >> (32 - count); }

/// Section 4.1: one round. boxes.g(x) is g of both halves of x.
template <Direction direction, class Boxes>
PHALANX_INLINE void twofish_round(const Boxes& boxes, const std::uint32_t K[2], std::uint32_t a, std::uint32_t b,
                                  std::uint32_t& c, std::uint32_t& d) {
  const std::uint64_t t = boxes.g(a | std::uint64_t{twofish_rotate_left(b, 8)} << 32);
  const auto t0 = static_cast<std::uint32_t>(t);
  const auto t1 = static_cast<std::uint32_t>(t >> 32);
  const std::uint32_t f0 = t0 + t1 + K[0];
  const std::uint32_t f1 = t0 + 2 * t1 + K[1];
  if constexpr (direction == Direction::encrypt) {
    c = twofish_rotate_left(c ^ f0, 31);
    d = twofish_rotate_left(d, 1) ^ f1;
  } else {
    c = twofish_rotate_left(c, 1) ^ f0;
    d = twofish_rotate_left(d ^ f1, 31);
  }
}

/// Section 4. Not inlined: every mode shares this one copy.
template <Direction direction, class Boxes>
__attribute__((noinline)) void twofish_crypt_block(const TwofishKey& key, const Boxes& boxes, const std::uint8_t* in,
                                                   std::uint8_t* out) noexcept {
  constexpr bool encrypt = direction == Direction::encrypt;
  const std::uint32_t* first = key.K + (encrypt ? 0 : 4);
  const std::uint32_t* last = key.K + (encrypt ? 4 : 0);
  std::uint32_t x[4];
  for (std::size_t i = 0; i < 4; ++i) x[i] = load_u32(in + 4 * i) ^ first[i];
  for (std::size_t step = 0; step < 16; step += 2) {
    const std::uint32_t* K = key.K + 8 + 2 * (encrypt ? step : 15 - step);
    twofish_round<direction>(boxes, K, x[0], x[1], x[2], x[3]);
    twofish_round<direction>(boxes, encrypt ? K + 2 : K - 2, x[2], x[3], x[0], x[1]);
  }
  for (std::size_t i = 0; i < 4; ++i) store_u32(out + 4 * i, x[(i + 2) % 4] ^ last[i]);
}

}  // namespace
}  // namespace phalanx

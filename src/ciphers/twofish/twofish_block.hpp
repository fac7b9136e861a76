// Twofish, one block at a time, with the least latency that byte shuffles allow: the eight bytes that enter g in one round
// lie side by side, and q0 and q1 are both computed for each. (Plain words: twofish_sliced.hpp.)
#pragma once

#include "ciphers/direction.hpp"
#include "ciphers/twofish/twofish_nibbles.hpp"

namespace phalanx {
namespace {

/// The key words L of g as nibbles: byte j is that of column j mod 4.
struct TwofishBlockKeys {
  alignas(16) std::uint8_t a[4][16];
  alignas(16) std::uint8_t b[4][16];

  void expand(const TwofishKey& key) {
    for (std::size_t l = 0; l < 4; ++l) {
      std::uint32_t words[2] = {};  // a and b of the four columns
      for (std::size_t column = 0; column < 4; ++column) {
        const TwofishMixedByte mixed = twofish_mixed_byte(static_cast<std::uint8_t>(key.L[l] >> (8 * column)));
        words[0] |= std::uint32_t{mixed.a} << (8 * column);
        words[1] |= std::uint32_t{mixed.b} << (8 * column);
      }
      for (std::size_t j = 0; j < 16; j += 4) {
        store_u32(a[l] + j, words[0]);
        store_u32(b[l] + j, words[1]);
      }
    }
  }
};

/// For each step of h the columns that meet q1, as masks of bytes.
struct TwofishColumnMasks {
  alignas(16) std::uint8_t layer[4][16];
  alignas(16) std::uint8_t last[16];

  constexpr TwofishColumnMasks() : layer(), last() {
    for (unsigned j = 0; j < 16; ++j) {
      for (unsigned l = 0; l < 4; ++l) layer[l][j] = twofish_layer_q[l][j % 4] == 1 ? 0xff : 0;
      last[j] = twofish_last_q[j % 4] == 1 ? 0xff : 0;
    }
  }
};
inline constexpr TwofishColumnMasks twofish_column_masks{};

/// g for two words at once, over a 128-bit word W.
template <class W>
struct TwofishBlockBoxes {
  using Nibbles = TwofishNibbles<W>;
  const TwofishKey& key;
  const TwofishBlockKeys& block;

  static PHALANX_INLINE W select(W mask, W yes, W no) { return (yes & mask) | and_not(no, mask); }

  PHALANX_INLINE TwofishMixed<W> layer(std::size_t l, TwofishMixed<W> x) const {
    TwofishMixed<W> y0 = x;
    TwofishMixed<W> y1 = x;
    for (unsigned half = 0; half < 2; ++half) {
      y0 = Nibbles::apply(twofish_nibble_tables.half[0][half], y0);
      y1 = Nibbles::apply(twofish_nibble_tables.half[1][half], y1);
    }
    const W mask = W::load(twofish_column_masks.layer[l]);
    return {select(mask, y1.a, y0.a) ^ W::load(block.a[l]), select(mask, y1.b, y0.b) ^ W::load(block.b[l])};
  }
  /// The last q and the MDS matrix: each shuffle brings one factor of the four sums of twofish_mds to its place.
  static PHALANX_INLINE W finish(TwofishMixed<W> x) {
    constexpr std::uint8_t none = 0x80;
    alignas(16) static constexpr std::uint8_t y_from[16] = {0, 3, 2, 1, 4, 7, 6, 5};
    alignas(16) static constexpr std::uint8_t ef_from[16] = {1, 1, 0, 0, 5, 5, 4, 4};
    alignas(16) static constexpr std::uint8_t second_ef_from[16] = {none, 2, 3, 2, none, 6, 7, 6};
    alignas(16) static constexpr std::uint8_t from_5b[16] = {2, 0, 1, 3, 6, 4, 5, 7};
    alignas(16) static constexpr std::uint8_t second_from_5b[16] = {3, none, none, none, 7, none, none, none};
    const TwofishProducts<W> p0 = Nibbles::template finish<0>(x);
    const TwofishProducts<W> p1 = Nibbles::template finish<1>(x);
    const W mask = W::load(twofish_column_masks.last);
    const W y = select(mask, p1.y, p0.y);
    const W y_ef = select(mask, p1.y_ef, p0.y_ef);
    const W y_5b = select(mask, p1.y_5b, p0.y_5b);
    return (shuffle_bytes(y_ef, W::load(ef_from)) ^ shuffle_bytes(y_ef, W::load(second_ef_from))) ^
           (shuffle_bytes(y_5b, W::load(from_5b)) ^ shuffle_bytes(y_5b, W::load(second_from_5b))) ^
           shuffle_bytes(y, W::load(y_from));
  }
  /// g of the low half of x, and of the high half, in the same places.
  PHALANX_INLINE std::uint64_t g(std::uint64_t x) const {
    TwofishMixed<W> m = Nibbles::begin(W::from_halves(0, x));
    if (key.num_layers == 4) m = layer(3, m);
    if (key.num_layers >= 3) m = layer(2, m);
    return finish(layer(0, layer(1, m))).first64();
  }
};

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

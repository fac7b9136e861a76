// Twofish's permutations q0 and q1 by byte shuffles: a byte travels as two nibbles, and every four-bit box is a shuffle of a
// register that holds its 16 entries. Nothing is looked up in memory, and each lane may have its own key.
#pragma once

#include "engine/ciphers/twofish/twofish_key.hpp"

namespace phalanx {
namespace {

/// Half a q with the mixing after it: (a, b) becomes (a_to_a[a] ^ b_to_a[b], a_to_b[a] ^ b_to_b[b]).
struct TwofishHalfTables {
  std::uint8_t a_to_a[16], a_to_b[16], b_to_a[16], b_to_b[16];
};

/// The second half of the last q, times the elements of the MDS matrix: y = a_to_y[a] ^ b_to_y[b], ...
struct TwofishLastTables {
  std::uint8_t a_to_y[16], a_to_5b[16], a_to_ef[16], b_to_y[16], b_to_5b[16], b_to_ef[16];
};

struct TwofishNibbleTables {
  alignas(64) TwofishHalfTables half[2][2];  // [q][half]
  TwofishLastTables last[2];                 // [q]
  std::uint8_t high_to_b[16], low_to_b[16];  // the mixing with which the first q begins

  constexpr TwofishNibbleTables() : half(), last(), high_to_b(), low_to_b() {
    for (unsigned x = 0; x < 16; ++x) {
      high_to_b[x] = twofish_mixed_b(x, 0);
      low_to_b[x] = twofish_mixed_b(0, x);
    }
    for (unsigned q = 0; q < 2; ++q) {
      for (unsigned x = 0; x < 16; ++x) {
        const auto& t = twofish_t[q];
        half[q][0].a_to_a[x] = t[0][x];
        half[q][0].a_to_b[x] = twofish_mixed_b(t[0][x], 0);
        half[q][0].b_to_a[x] = t[1][x];
        half[q][0].b_to_b[x] = twofish_mixed_b(0, t[1][x]);
        // q(x) = 16 t3[b3] + t2[a3], and the next q begins with a0 = q(x) / 16.
        half[q][1].a_to_a[x] = t[2][x];
        half[q][1].a_to_b[x] = twofish_mixed_b(0, t[2][x]);
        half[q][1].b_to_a[x] = t[3][x];
        half[q][1].b_to_b[x] = twofish_mixed_b(t[3][x], 0);
        const unsigned low = t[2][x];
        const unsigned high = 16U * t[3][x];
        last[q].a_to_y[x] = static_cast<std::uint8_t>(low);
        last[q].a_to_5b[x] = twofish_times(0x5b, low, twofish_v);
        last[q].a_to_ef[x] = twofish_times(0xef, low, twofish_v);
        last[q].b_to_y[x] = static_cast<std::uint8_t>(high);
        last[q].b_to_5b[x] = twofish_times(0x5b, high, twofish_v);
        last[q].b_to_ef[x] = twofish_times(0xef, high, twofish_v);
      }
    }
  }
};
inline constexpr TwofishNibbleTables twofish_nibble_tables{};

struct TwofishLaneNumbers {
  alignas(64) std::uint8_t number[64];
  constexpr TwofishLaneNumbers() : number() {
    for (unsigned i = 0; i < 64; ++i) number[i] = static_cast<std::uint8_t>(i);
  }
};
inline constexpr TwofishLaneNumbers twofish_lane_numbers{};

/// A byte as nibbles a1 and b1 of section 4.3.5, with which a q begins.
template <class W>
struct TwofishMixed {
  W a, b;

  friend PHALANX_INLINE TwofishMixed operator^(TwofishMixed x, TwofishMixed y) { return {x.a ^ y.a, x.b ^ y.b}; }
};

/// The two nibbles of one byte, as numbers.
struct TwofishMixedByte {
  std::uint8_t a, b;
};
PHALANX_INLINE TwofishMixedByte twofish_mixed_byte(std::uint8_t x) {
  return {twofish_mixed_a(x >> 4, x & 15), twofish_mixed_b(x >> 4, x & 15)};
}

/// Bytes (twofish_key.hpp) in the words that have shuffle_bytes.
template <class W>
struct TwofishNibbles {
  using Byte = W;
  using Mixed = TwofishMixed<W>;
  static constexpr std::size_t lanes = sizeof(W);

  static PHALANX_INLINE W lane_numbers(std::uint8_t first) {  // first is a multiple of lanes
    return W::load(twofish_lane_numbers.number) ^ W::broadcast32(first * 0x01010101U);
  }
  static PHALANX_INLINE W alternate(std::uint8_t even, std::uint8_t odd) {
    return W::broadcast32((even | std::uint32_t{odd} << 8) * 0x00010001U);
  }
  static PHALANX_INLINE W look_up(const std::uint8_t table[16], W index) {
    return shuffle_bytes(W::broadcast128(table), index);
  }

  static PHALANX_INLINE Mixed begin(W x) {
    const W nibble = W::broadcast32(0x0f0f0f0f);
    const W high = shift_right32<4>(x) & nibble;
    const W low = x & nibble;
    return {high ^ low, look_up(twofish_nibble_tables.high_to_b, high) ^ look_up(twofish_nibble_tables.low_to_b, low)};
  }
  static PHALANX_INLINE Mixed apply(const TwofishHalfTables& t, Mixed x) {
    return {look_up(t.a_to_a, x.a) ^ look_up(t.b_to_a, x.b), look_up(t.a_to_b, x.a) ^ look_up(t.b_to_b, x.b)};
  }
  template <unsigned q>
  static PHALANX_INLINE void permute(Mixed& x, Mixed& y) {
    for (const TwofishHalfTables& t : twofish_nibble_tables.half[q]) {
      x = apply(t, x);
      y = apply(t, y);
    }
  }
  template <unsigned q>
  static PHALANX_INLINE TwofishProducts<W> finish(Mixed x) {
    const Mixed m = apply(twofish_nibble_tables.half[q][0], x);
    const TwofishLastTables& t = twofish_nibble_tables.last[q];
    return {look_up(t.a_to_y, m.a) ^ look_up(t.b_to_y, m.b), look_up(t.a_to_5b, m.a) ^ look_up(t.b_to_5b, m.b),
            look_up(t.a_to_ef, m.a) ^ look_up(t.b_to_ef, m.b)};
  }

  static PHALANX_INLINE void store_words(const W z[4], std::uint32_t* words) {
    std::uint8_t bytes[4][lanes];
    for (std::size_t i = 0; i < 4; ++i) z[i].store(bytes[i]);
    for (std::size_t j = 0; j < lanes; ++j) {
      words[j] = bytes[0][j] | bytes[1][j] << 8 | bytes[2][j] << 16 | std::uint32_t{bytes[3][j]} << 24;
    }
    wipe(bytes, sizeof bytes);
  }
};

}  // namespace
}  // namespace phalanx

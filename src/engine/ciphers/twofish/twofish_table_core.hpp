// Twofish by its four keyed tables: the key-dependent S-boxes, each with its column of the MDS matrix (section 4.2 of the
// paper; its section on large machines proposes such tables). For machines where a look-up's time cannot depend on its
// index; the tables are reached through a policy, as in aes_table_core.hpp.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "engine/ciphers/twofish/twofish_numbers.hpp"
#include "engine/lanes/word_gpu.hpp"

namespace phalanx {
namespace {

/// A byte of two lanes. Bytes (twofish_key.hpp), by plain numbers.
struct TwofishBytePair {
  std::uint32_t even, odd;

  friend PHALANX_INLINE TwofishBytePair operator^(TwofishBytePair a, TwofishBytePair b) {
    return {a.even ^ b.even, a.odd ^ b.odd};
  }
};
struct TwofishPairs {
  using Byte = TwofishBytePair;
  using Mixed = TwofishBytePair;
  static constexpr std::size_t lanes = 2;

  static PHALANX_INLINE Byte lane_numbers(unsigned first) { return {first, first + 1}; }
  static PHALANX_INLINE Byte alternate(std::uint8_t even, std::uint8_t odd) { return {even, odd}; }
  static PHALANX_INLINE Mixed begin(Byte x) { return x; }
  template <unsigned q>
  static PHALANX_INLINE void permute(Mixed& x, Mixed& y) {
    TwofishNumbers::permute<q>(x.even, x.odd);
    TwofishNumbers::permute<q>(y.even, y.odd);
  }
  template <unsigned q>
  static PHALANX_INLINE TwofishProducts<Byte> finish(Mixed x) {
    const TwofishProducts<std::uint32_t> even = TwofishNumbers::finish<q>(x.even);
    const TwofishProducts<std::uint32_t> odd = TwofishNumbers::finish<q>(x.odd);
    return {{even.y, odd.y}, {even.y_5b, odd.y_5b}, {even.y_ef, odd.y_ef}};
  }
  static PHALANX_INLINE void store_words(const Byte z[4], std::uint32_t* words) {
    words[0] = z[0].even | z[1].even << 8 | z[2].even << 16 | z[3].even << 24;
    words[1] = z[0].odd | z[1].odd << 8 | z[2].odd << 16 | z[3].odd << 24;
  }
};

/// The key words of a round as they are added: K[2r + 8], and K[2r + 9] less that, which saves an addition.
struct TwofishRoundKey {
  std::uint32_t first, difference;
  std::uint32_t one;  ///< 1: a + b as a multiplication and addition, a * one + b
};

struct alignas(16) TwofishTableSchedule {
  std::uint32_t K[40];
  std::uint32_t K_difference[16];  ///< TwofishRoundKey
  /// 1, and no compiler knows it. The pipe of an NVIDIA GPU that adds also does the logic and the byte permutes, and is
  /// busy; the one that multiplies is idle.
  std::uint32_t one;
  std::uint32_t table[4][256];  ///< [column]: g(x) is the XOR of table[i][byte i of x]

  void expand(const std::uint8_t* key, std::size_t key_bytes) {
    TwofishKey expanded;
    twofish_expand_key<TwofishPairs>(key, key_bytes, expanded);
    for (unsigned i = 0; i < 40; ++i) K[i] = expanded.K[i];
    for (unsigned r = 0; r < 16; ++r) K_difference[r] = K[2 * r + 9] - K[2 * r + 8];
    one = 1;
    const TwofishNumberBoxes boxes{expanded, expanded.num_layers};
    for (std::uint32_t x = 0; x < 256; ++x) {
      const std::uint32_t bytes[4] = {x, x, x, x};
      TwofishProducts<std::uint32_t> p[4];
      twofish_substitute<TwofishNumbers>(bytes, boxes, p);
      for (unsigned column = 0; column < 4; ++column) {
        TwofishProducts<std::uint32_t> only[4] = {};
        only[column] = p[column];
        std::uint32_t z[4];
        twofish_mds(only, z);
        table[column][x] = z[0] | z[1] << 8 | z[2] << 16 | z[3] << 24;
      }
    }
    wipe(&expanded, sizeof expanded);
  }

  PHALANX_INLINE TwofishRoundKey round_key(unsigned r) const { return {K[2 * r + 8], K_difference[r], one}; }
  PHALANX_INLINE const std::uint32_t* whitening(unsigned end) const { return K + 4 * end; }  ///< input: 0, output: 1

  /// The keyed S-boxes alone, s_i(x) in byte i: the MDS matrix has one element 01 in every column.
  PHALANX_INLINE std::uint32_t s_boxes(unsigned x) const {
    return permute_bytes<0x7610>(permute_bytes<0x3270>(table[0][x], table[1][x]),
                                 permute_bytes<0x5200>(table[2][x], table[3][x]));
  }
};

/// g of a word and of a word rotated to the left by a byte, from four tables.
template <class Tables>
struct TwofishFourTables {
  Tables tables;

  template <unsigned rotated_bytes>
  PHALANX_INLINE std::uint32_t g(std::uint32_t x) const {
    return tables.template look_up<0, (4 - rotated_bytes) % 4>(x) ^ tables.template look_up<1, (5 - rotated_bytes) % 4>(x) ^
           tables.template look_up<2, (6 - rotated_bytes) % 4>(x) ^ tables.template look_up<3, (7 - rotated_bytes) % 4>(x);
  }
};

/// Four packed bytes divided by x in the field of the MDS matrix.
PHALANX_INLINE std::uint32_t twofish_divide_packed(std::uint32_t y) {
  return (y >> 1 & 0x7f7f7f7f) ^ (y & 0x01010101) * (twofish_v >> 1);
}
/// The MDS matrix times the bytes of y.
PHALANX_INLINE std::uint32_t twofish_mds_packed(std::uint32_t y) {
  const std::uint32_t half = twofish_divide_packed(y);
  const std::uint32_t y_5b = y ^ twofish_divide_packed(half);
  const std::uint32_t y_ef = y_5b ^ half;
  // twofish_mds: the first summands of its four rows, and what is left of EF and 5B.
  return permute_bytes<0x1230>(y, 0) ^ permute_bytes<0x0011>(y_ef, 0) ^ permute_bytes<0x2324>(y_ef, 0) ^
         permute_bytes<0x3102>(y_5b, 0) ^ permute_bytes<0x4443>(y_5b, 0);
}

/// The same from one table of the S-boxes, for machines with room for no more: the MDS matrix is computed.
template <class Tables>
struct TwofishOneTable {
  Tables tables;

  template <unsigned rotated_bytes>
  PHALANX_INLINE std::uint32_t g(std::uint32_t x) const {
    const std::uint32_t y01 = permute_bytes<0x0050>(tables.template look_up<0, (4 - rotated_bytes) % 4>(x),
                                                    tables.template look_up<0, (5 - rotated_bytes) % 4>(x));
    const std::uint32_t y23 = permute_bytes<0x7200>(tables.template look_up<0, (6 - rotated_bytes) % 4>(x),
                                                    tables.template look_up<0, (7 - rotated_bytes) % 4>(x));
    const std::uint32_t y = permute_bytes<0x7610>(y01, y23);
    return twofish_mds_packed(y);
  }
};

PHALANX_INLINE std::uint32_t twofish_rotate_one(std::uint32_t x) { return x << 1 | x >> 31; }
PHALANX_INLINE std::uint32_t twofish_rotate_back(std::uint32_t x) { return x >> 1 | x << 31; }

/// Round r of section 4.1.
template <Direction direction, class Boxes>
PHALANX_INLINE void twofish_table_round(const Boxes& boxes, TwofishRoundKey key, std::uint32_t a, std::uint32_t b,
                                        std::uint32_t& c, std::uint32_t& d) {
  const std::uint32_t t0 = boxes.template g<0>(a);
  const std::uint32_t t1 = boxes.template g<1>(b);
  const std::uint32_t f0 = t0 * key.one + t1 + key.first;
  const std::uint32_t f1 = t1 * key.one + f0 + key.difference;
  if constexpr (direction == Direction::encrypt) {
    c = twofish_rotate_back(c ^ f0);
    d = twofish_rotate_one(d) ^ f1;
  } else {
    c = twofish_rotate_one(c) ^ f0;
    d = twofish_rotate_back(d ^ f1);
  }
}

/// Section 4, over the block x.
template <Direction direction, class Boxes, class Keys>
PHALANX_INLINE void twofish_table_crypt(const Boxes& boxes, const Keys& keys, std::uint32_t x[4]) {
  constexpr bool encrypt = direction == Direction::encrypt;
  const auto before = keys.whitening(encrypt ? 0 : 1);
  std::uint32_t y[4];
  for (unsigned i = 0; i < 4; ++i) y[i] = x[i] ^ before[i];
  PHALANX_UNROLL
  for (unsigned step = 0; step < 16; step += 2) {
    twofish_table_round<direction>(boxes, keys.round_key(encrypt ? step : 15 - step), y[0], y[1], y[2], y[3]);
    twofish_table_round<direction>(boxes, keys.round_key(encrypt ? step + 1 : 14 - step), y[2], y[3], y[0], y[1]);
  }
  const auto after = keys.whitening(encrypt ? 1 : 0);
  for (unsigned i = 0; i < 4; ++i) x[i] = y[(i + 2) % 4] ^ after[i];
}

}  // namespace
}  // namespace phalanx

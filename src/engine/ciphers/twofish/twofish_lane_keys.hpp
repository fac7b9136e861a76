// A Twofish key for each block of a group, all of the same length: the key schedule (section 4.3 of the paper) over bytes in
// lanes, and g through nibbles, which alone can have its own S-boxes in each lane.
#pragma once

#include "engine/ciphers/twofish/twofish_nibbles.hpp"
#include "engine/ciphers/twofish/twofish_packed.hpp"

namespace phalanx {
namespace {

/// The RS matrix of section 4.3 by halves of a key byte: byte `row` of S is the sum of low[row][j][m_j % 16] and
/// high[row][j][m_j / 16].
struct TwofishRsNibbles {
  std::uint8_t low[4][8][16], high[4][8][16];

  constexpr TwofishRsNibbles() : low(), high() {
    for (unsigned j = 0; j < 8; ++j) {
      for (unsigned x = 0; x < 16; ++x) {
        std::uint32_t of_low = 0;
        std::uint32_t of_high = 0;
        for (unsigned i = 0; i < 4; ++i) {
          of_low ^= (x >> i & 1U) != 0 ? twofish_rs.bit[j][i] : 0;
          of_high ^= (x >> i & 1U) != 0 ? twofish_rs.bit[j][i + 4] : 0;
        }
        for (unsigned row = 0; row < 4; ++row) {
          low[row][j][x] = static_cast<std::uint8_t>(of_low >> (8 * row));
          high[row][j][x] = static_cast<std::uint8_t>(of_high >> (8 * row));
        }
      }
    }
  }
};
inline constexpr TwofishRsNibbles twofish_rs_nibbles{};

/// A word list L of h, in the form that twofish_substitute takes.
template <class W>
struct TwofishNibbleWords {
  alignas(64) std::uint8_t a[4][4][sizeof(W)];  // [layer][column][byte lane]
  alignas(64) std::uint8_t b[4][4][sizeof(W)];
  unsigned num_layers;

  PHALANX_INLINE TwofishMixed<W> layer(std::size_t l, std::size_t column) const {
    return {W::load(a[l][column]), W::load(b[l][column])};
  }
  PHALANX_INLINE void set(std::size_t l, std::size_t column, W byte) {
    const TwofishMixed<W> mixed = TwofishNibbles<W>::begin(byte);
    mixed.a.store(a[l][column]);
    mixed.b.store(b[l][column]);
  }
  /// z may be x.
  PHALANX_INLINE void h(const W x[4], W z[4]) const {
    TwofishProducts<W> p[4];
    twofish_substitute<TwofishNibbles<W>>(x, *this, p);
    twofish_mds(p, z);
  }
};

/// The keys of a group.
template <class W>
struct TwofishGroupKeys {
  using Packed = TwofishPacked<W>;
  TwofishNibbleWords<W> L;
  alignas(64) std::uint32_t words[40][4][Packed::blocks_in_row];  // K

  PHALANX_INLINE W K(std::size_t i, std::size_t row) const { return W::load(words[i][row]); }
  PHALANX_INLINE void h_of_both(W x[4], W y[4]) const {
    const W rotated[4] = {y[3], y[0], y[1], y[2]};
    L.h(x, x);
    L.h(rotated, y);
  }

  /// Bytes 8 i to 8 i + 7 of the key of block j lie at keys + 8 * (i * stride + j).
  void expand(const std::uint8_t* keys, std::size_t stride, std::size_t key_bytes) {
    alignas(64) std::uint8_t m[32][sizeof(W)];  // byte i of every key
    for (std::size_t j = 0; j < Packed::blocks; ++j) {
      const std::size_t lane = Packed::byte_lane_of(j);
      for (std::size_t i = 0; i < key_bytes; ++i) m[i][lane] = keys[8 * (i / 8 * stride + j) + i % 8];
    }
    TwofishNibbleWords<W> even;
    TwofishNibbleWords<W> odd;
    L.num_layers = even.num_layers = odd.num_layers = static_cast<unsigned>(key_bytes / 8);
    for (std::size_t l = 0; l < L.num_layers; ++l) {
      for (std::size_t column = 0; column < 4; ++column) {
        even.set(l, column, W::load(m[8 * l + column]));
        odd.set(l, column, W::load(m[8 * l + 4 + column]));
        L.set(L.num_layers - 1 - l, column, rs_product(m + 8 * l, column));
      }
    }
    expand_words(even, odd);
  }

 private:
  static PHALANX_INLINE W rs_product(const std::uint8_t m[8][sizeof(W)], std::size_t row) {
    const W nibble = W::broadcast32(0x0f0f0f0f);
    W sum = W::zero();
    for (std::size_t j = 0; j < 8; ++j) {
      const W byte = W::load(m[j]);
      const W high = shift_right32<4>(byte) & nibble;
      sum = lut3<0x96>(sum, TwofishNibbles<W>::look_up(twofish_rs_nibbles.low[row][j], byte & nibble),
                       TwofishNibbles<W>::look_up(twofish_rs_nibbles.high[row][j], high));
    }
    return sum;
  }
  /// Section 4.3.4: K_2i = A + B and K_2i+1 = ROL(A + 2B, 9), where A = h(2i rho, M_e) and B = ROL(h((2i + 1) rho, M_o), 8).
  void expand_words(const TwofishNibbleWords<W>& even, const TwofishNibbleWords<W>& odd) {
    for (unsigned i = 0; i < 40; i += 2) {
      const W number = W::broadcast32(i * 0x01010101U);
      const W next = W::broadcast32((i + 1) * 0x01010101U);
      W A[4] = {number, number, number, number};
      W B[4] = {next, next, next, next};
      even.h(A, A);
      odd.h(B, B);
      Packed::join_both(A, B);
      for (std::size_t row = 0; row < 4; ++row) {
        const W b = rotate_left32<8>(B[row]);
        const W sum = add32(A[row], b);
        sum.store(words[i][row]);
        rotate_left32<9>(add32(sum, b)).store(words[i + 1][row]);
      }
    }
  }
};

/// The keys of all groups.
template <class W, std::size_t num_groups>
struct TwofishLaneKeys {
  TwofishGroupKeys<W> groups[num_groups];

  PHALANX_INLINE const TwofishGroupKeys<W>& group(std::size_t number) const { return groups[number]; }
};

}  // namespace
}  // namespace phalanx

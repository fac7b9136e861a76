// Twofish's key schedule (section 4.3 of the paper) and the function h, over bytes in lanes. A `Bytes` here is a way to
// compute with a byte of each lane:
//
//   using Byte;                                   // with ^
//   using Mixed;                                  // a byte on its way through the layers of h, in any form; with ^
//   static constexpr std::size_t lanes;
//   static Byte lane_numbers(first);              // first, first + 1, ...
//   static Byte alternate(even, odd);             // a byte for the even lanes, another for the odd ones
//   static Mixed begin(Byte);                     // linear, so that key bytes can be brought to this form once
//   template <unsigned q> static void permute(Mixed&, Mixed&);   // of two columns, which need not wait for one another
//   template <unsigned q> static TwofishProducts<Byte> finish(Mixed);   // the last q, times the elements of the MDS matrix
//   static void store_words(const Byte z[4], std::uint32_t* words);     // word j: byte j of z[0], of z[1], ...; 64 at most
//
// twofish_nibbles.hpp has one for byte shuffles, twofish_sliced.hpp one for plain words.
#pragma once

#include "engine/ciphers/twofish/twofish_constants.hpp"

namespace phalanx {
namespace {

struct TwofishKey {
  std::uint32_t K[40];  ///< section 4.3.4
  std::uint32_t L[4];   ///< of h in g: L[0] to L[num_layers - 1] are S_(k-1) to S_0
  unsigned num_layers;
};

/// The columns in which a step of h uses q0, then those in which it uses q1.
struct TwofishColumns {
  unsigned q0[2], q1[2];

  constexpr explicit TwofishColumns(const unsigned (&q_of_column)[4]) : q0(), q1() {
    unsigned num_q0 = 0;
    unsigned num_q1 = 0;
    for (unsigned column = 0; column < 4; ++column) {
      if (q_of_column[column] == 0) {
        q0[num_q0++] = column;
      } else {
        q1[num_q1++] = column;
      }
    }
  }
};

/// One layer of h: a q on every column, then the XOR with key word L_l.
template <class Bytes, unsigned l, class LayerKeys>
PHALANX_INLINE void twofish_layer(const LayerKeys& keys, typename Bytes::Mixed y[4]) {
  constexpr TwofishColumns columns(twofish_layer_q[l]);
  Bytes::template permute<0>(y[columns.q0[0]], y[columns.q0[1]]);
  Bytes::template permute<1>(y[columns.q1[0]], y[columns.q1[1]]);
  for (unsigned column = 0; column < 4; ++column) y[column] = y[column] ^ keys.layer(l, column);
}

/// h of a word whose bytes are x[0] to x[3], up to the MDS matrix. keys.layer(l, column) is that byte of L_l, as Mixed.
template <class Bytes, class LayerKeys>
PHALANX_INLINE void twofish_substitute(const typename Bytes::Byte x[4], const LayerKeys& keys,
                                       TwofishProducts<typename Bytes::Byte> p[4]) {
  typename Bytes::Mixed y[4] = {Bytes::begin(x[0]), Bytes::begin(x[1]), Bytes::begin(x[2]), Bytes::begin(x[3])};
  if (keys.num_layers == 4) twofish_layer<Bytes, 3>(keys, y);
  if (keys.num_layers >= 3) twofish_layer<Bytes, 2>(keys, y);
  twofish_layer<Bytes, 1>(keys, y);
  twofish_layer<Bytes, 0>(keys, y);
  constexpr TwofishColumns columns(twofish_last_q);
  p[columns.q0[0]] = Bytes::template finish<0>(y[columns.q0[0]]);
  p[columns.q1[0]] = Bytes::template finish<1>(y[columns.q1[0]]);
  p[columns.q0[1]] = Bytes::template finish<0>(y[columns.q0[1]]);
  p[columns.q1[1]] = Bytes::template finish<1>(y[columns.q1[1]]);
}

/// Section 4.3: the RS matrix, over GF(2^8) modulo w(x), as bit i of key byte j contributes to a word of S.
struct TwofishRs {
  std::uint32_t bit[8][8];

  constexpr TwofishRs() : bit() {
    constexpr unsigned w = 0x14d;
    constexpr std::uint8_t matrix[4][8] = {{0x01, 0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e},
                                           {0xa4, 0x56, 0x82, 0xf3, 0x1e, 0xc6, 0x68, 0xe5},
                                           {0x02, 0xa1, 0xfc, 0xc1, 0x47, 0xae, 0x3d, 0x19},
                                           {0xa4, 0x55, 0x87, 0x5a, 0x58, 0xdb, 0x9e, 0x03}};
    for (unsigned j = 0; j < 8; ++j) {
      for (unsigned i = 0; i < 8; ++i) {
        for (unsigned row = 0; row < 4; ++row) {
          bit[j][i] |= std::uint32_t{twofish_times(matrix[row][j], 1U << i, w)} << (8 * row);
        }
      }
    }
  }
  /// The product with eight bytes of key.
  PHALANX_INLINE std::uint32_t times(const std::uint8_t* m) const {
    std::uint32_t product = 0;
    PHALANX_UNROLL
    for (unsigned j = 0; j < 8; ++j) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 8; ++i) product ^= bit[j][i] & (0U - (m[j] >> i & 1U));
    }
    return product;
  }
};
inline constexpr TwofishRs twofish_rs{};

PHALANX_INLINE std::uint32_t twofish_rs_times(const std::uint8_t* m) {
#if defined(__CUDA_ARCH__)
  constexpr TwofishRs twofish_rs{};  // device code cannot refer to the host's constants
#endif
  return twofish_rs.times(m);
}

/// L for the expanded key words: M_even for the even lanes, M_odd for the odd ones.
template <class Bytes>
struct TwofishAlternatingKeys {
  const std::uint8_t* key;
  unsigned num_layers;

  PHALANX_INLINE typename Bytes::Mixed layer(std::size_t l, std::size_t column) const {
    return Bytes::begin(Bytes::alternate(key[8 * l + column], key[8 * l + 4 + column]));
  }
};

/// h(j * (2^24 + 2^16 + 2^8 + 1), L) for lanes j = first, first + 1, ...
template <class Bytes>
PHALANX_INLINE void twofish_h_of_lanes(const TwofishAlternatingKeys<Bytes>& keys, unsigned first, std::uint32_t* words) {
  const typename Bytes::Byte x = Bytes::lane_numbers(static_cast<std::uint8_t>(first));
  const typename Bytes::Byte bytes[4] = {x, x, x, x};
  TwofishProducts<typename Bytes::Byte> p[4];
  twofish_substitute<Bytes>(bytes, keys, p);
  typename Bytes::Byte z[4];
  twofish_mds(p, z);
  Bytes::store_words(z, words);
}

template <class Bytes>
PHALANX_INLINE void twofish_expand_key(const std::uint8_t* key, std::size_t key_bytes, TwofishKey& out) {
  std::memset(&out, 0, sizeof out);
  out.num_layers = static_cast<unsigned>(key_bytes / 8);
  for (unsigned i = 0; i < out.num_layers; ++i) out.L[out.num_layers - 1 - i] = twofish_rs_times(key + 8 * i);

  std::uint32_t h[64];
  const TwofishAlternatingKeys<Bytes> keys{key, out.num_layers};
  PHALANX_NO_UNROLL
  for (unsigned first = 0; first < 40; first += Bytes::lanes) twofish_h_of_lanes<Bytes>(keys, first, h + first);
  for (unsigned i = 0; i < 20; ++i) {
    const std::uint32_t a = h[2 * i];
    const std::uint32_t b = h[2 * i + 1] << 8 | h[2 * i + 1] >> 24;
    const std::uint32_t sum = a + 2 * b;
    out.K[2 * i] = a + b;
    out.K[2 * i + 1] = sum << 9 | sum >> 23;
  }
  wipe(h, sizeof h);
}

}  // namespace
}  // namespace phalanx

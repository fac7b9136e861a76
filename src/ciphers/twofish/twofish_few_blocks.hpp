// Twofish, one to eight blocks together, by permutes of 64 bytes (AVX-512 VBMI): all the look-ups of a round go through the
// whole tables at once. For streams of one message and for ranges too short to fill the lanes of twofish_packed_core.hpp.
//
// A word has 64 bits of each block: in one word those that enter g in a round, in another those that the round changes.
#pragma once

#include "ciphers/block_core.hpp"
#include "ciphers/direction.hpp"
#include "ciphers/twofish/twofish_key.hpp"

namespace phalanx {
namespace {

/// Shuffles within 16 bytes, a byte for each column of four words.
struct TwofishColumnShuffle {
  alignas(16) std::uint8_t from[16];

  constexpr explicit TwofishColumnShuffle(const std::uint8_t (&of_word)[4]) : from() {
    for (unsigned i = 0; i < 16; ++i) {
      from[i] = static_cast<std::uint8_t>(of_word[i % 4] < 4 ? i / 4 * 4 + of_word[i % 4] : 0x80);
    }
  }
};
/// Where the summands of the four rows of the MDS matrix (section 4.2) come from: times 1, EF and 5B.
inline constexpr TwofishColumnShuffle twofish_from_1({0, 3, 2, 1});
inline constexpr TwofishColumnShuffle twofish_from_ef({1, 1, 0, 0});
inline constexpr TwofishColumnShuffle twofish_from_second_ef({0x80, 2, 3, 2});
inline constexpr TwofishColumnShuffle twofish_from_5b({2, 0, 1, 3});
inline constexpr TwofishColumnShuffle twofish_from_second_5b({3, 0x80, 0x80, 0x80});

/// The core (ciphers/block_core.hpp). KeySchedule has `key` and s_box[column], of entries divided by x, and times<factor>.
template <class W, class KeySchedule>
struct TwofishFewBlocks {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = sizeof(W) / 8;
  using Vector = W;
  using Schedule = KeySchedule;

  /// Bytes whose column has this bit.
  static constexpr std::uint64_t bytes_of_column(unsigned column) { return std::uint64_t{0x1111111111111111} << column; }

  /// The entries at the bytes of x, each byte in the table of its column. A permute sees six bits of a byte: each quarter of
  /// the tables gives entries of its own, and takes the columns one by one, while the other quarters take their turns.
  static PHALANX_INLINE W look_up(const Schedule& schedule, W x) {
    const std::uint64_t bit_6 = top_bits_of_bytes(shift_left32<1>(x));
    const std::uint64_t bit_7 = top_bits_of_bytes(x);
    W y[4];
#pragma GCC unroll 4
    for (unsigned quarter = 0; quarter < 4; ++quarter)
      y[quarter] = permute_bytes(W::load(schedule.s_box[0] + 64 * quarter), x);
#pragma GCC unroll 3
    for (unsigned column = 1; column < 4; ++column) {
#pragma GCC unroll 4
      for (unsigned quarter = 0; quarter < 4; ++quarter) {
        const W table = W::load(schedule.s_box[column] + 64 * quarter);
        y[quarter] = permute_bytes_where(bytes_of_column(column), table, x, y[quarter]);
      }
    }
    return blend_bytes(bit_7, blend_bytes(bit_6, y[0], y[1]), blend_bytes(bit_6, y[2], y[3]));
  }

  /// g of every word.
  static PHALANX_INLINE W g(const Schedule& schedule, W x) {
    const auto moved = [](W v, const TwofishColumnShuffle& shuffle)
                           PHALANX_INLINE_LAMBDA { return shuffle_bytes(v, W::broadcast128(shuffle.from)); };
    constexpr unsigned by_x = 2;
    const W y = look_up(schedule, x);
    const W y_1 = Schedule::template times<by_x>(y);
    const W y_ef = Schedule::template times<twofish_times(by_x, 0xef, twofish_v)>(y);
    const W y_5b = Schedule::template times<twofish_times(by_x, 0x5b, twofish_v)>(y);
    const W first = lut3<0x96>(moved(y_1, twofish_from_1), moved(y_ef, twofish_from_ef), moved(y_5b, twofish_from_5b));
    return lut3<0x96>(first, moved(y_ef, twofish_from_second_ef), moved(y_5b, twofish_from_second_5b));
  }

  /// A rotation of the first word of every two, and another of the second.
  static PHALANX_INLINE W rotate_both(W x, unsigned first, unsigned second) {
    return rotate_left_each32(x, W::broadcast64(first | std::uint64_t{second} << 32));
  }

  /// Section 4.1: a round, which changes `c_d` under the words a and b, of which b comes rotated by 8.
  template <Direction direction>
  static PHALANX_INLINE void round(const Schedule& schedule, const std::uint32_t K[2], W a_b, W& c_d, W& next_a_b) {
    constexpr bool encrypt = direction == Direction::encrypt;
    const W t = g(schedule, a_b);
    // f0 = t0 + t1 + K0 and f1 = t0 + 2 t1 + K1: the word itself, the other one, and t1 once more.
    const W second = t & W::broadcast64(0xffffffff00000000);
    const W f = add32(add32(add32(t, second), W::broadcast64(load_u64(K))), swap32(t));
    const W rotated = rotate_both(c_d, encrypt ? 0 : 1, encrypt ? 1 : 0) ^ f;
    c_d = rotate_both(rotated, encrypt ? 31 : 0, encrypt ? 0 : 31);
    next_a_b = rotate_both(rotated, encrypt ? 31 : 0, encrypt ? 8 : 7);
  }

  /// Section 4. Not inlined: every mode shares this one copy.
  template <Direction direction>
  static __attribute__((noinline)) void crypt_words(const Schedule& schedule, W& low, W& high) noexcept {
    constexpr bool encrypt = direction == Direction::encrypt;
    const auto whiten = [&schedule](W x, std::size_t i)
                            PHALANX_INLINE_LAMBDA { return x ^ W::broadcast64(load_u64(schedule.key.K + i)); };
    W x = whiten(low, encrypt ? 0 : 4);
    W y = whiten(high, encrypt ? 2 : 6);
    W a_b = rotate_both(x, 0, 8);
#pragma GCC unroll 1
    for (std::size_t step = 0; step < 16; step += 2) {
      const std::uint32_t* const K = schedule.key.K + 8 + 2 * (encrypt ? step : 15 - step);
      round<direction>(schedule, K, a_b, y, a_b);
      round<direction>(schedule, encrypt ? K + 2 : K - 2, a_b, x, a_b);
    }
    low = whiten(y, encrypt ? 4 : 0);
    high = whiten(x, encrypt ? 6 : 2);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    const W first = load(0);
    const W second = load(1);
    W low = unpack_low64(first, second);
    W high = unpack_high64(first, second);
    crypt_words<direction>(schedule, low, high);
    store(0, unpack_low64(low, high));
    store(1, unpack_high64(low, high));
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    W low = W::broadcast128(in);  // no block that nobody gave us: one of zeros would give GCM's hash key
    W high = swap_halves(low);
    crypt_words<direction>(schedule, low, high);
    first128(unpack_low64(low, high)).store(out);
  }
};

}  // namespace
}  // namespace phalanx

// Twofish in plain words: 128 blocks side by side, a word for each bit of the state, the four-bit boxes as logic.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/twofish/circuits/twofish_box_circuits.hpp"
#include "engine/ciphers/twofish/twofish_numbers.hpp"
#include "engine/lanes/transpose_scalar.hpp"
#include "engine/lanes/word_scalar.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

/// A byte of each of 128 lanes: bit[i] holds bit i, lane j in bit j.
struct SlicedByte {
  PlainWord128 bit[8];

  friend PHALANX_INLINE SlicedByte operator^(const SlicedByte& x, const SlicedByte& y) {
    SlicedByte sum;
    for (int i = 0; i < 8; ++i) sum.bit[i] = x.bit[i] ^ y.bit[i];
    return sum;
  }
};

/// A 32-bit word of each of 128 lanes, byte 0 the least significant.
struct SlicedWord {
  SlicedByte byte[4];

  PHALANX_INLINE PlainWord128& bit(unsigned i) { return byte[i / 8].bit[i % 8]; }
  PHALANX_INLINE PlainWord128 bit(unsigned i) const { return byte[i / 8].bit[i % 8]; }
};

/// Bytes (twofish_key.hpp), sliced.
struct TwofishSlices {
  using Byte = SlicedByte;
  using Mixed = SlicedByte;
  static constexpr std::size_t lanes = 128;

  static PHALANX_INLINE SlicedByte lane_numbers(std::uint8_t /*first*/) {  // which is 0
    constexpr std::uint64_t number_bit[6] = {0xaaaaaaaaaaaaaaaaU, 0xccccccccccccccccU, 0xf0f0f0f0f0f0f0f0U,
                                             0xff00ff00ff00ff00U, 0xffff0000ffff0000U, 0xffffffff00000000U};
    SlicedByte x;
    for (unsigned i = 0; i < 6; ++i) x.bit[i] = PlainWord128::broadcast64(number_bit[i]);
    x.bit[6] = PlainWord128::from_halves(0, ~std::uint64_t{0});
    x.bit[7] = PlainWord128::broadcast64(0);
    return x;
  }
  static PHALANX_INLINE SlicedByte alternate(std::uint8_t even, std::uint8_t odd) {
    SlicedByte x;
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t even_lanes = 0 - std::uint64_t{even >> i & 1U};
      const std::uint64_t odd_lanes = 0 - std::uint64_t{odd >> i & 1U};
      x.bit[i] = PlainWord128::broadcast64((even_lanes & 0x5555555555555555U) | (odd_lanes & 0xaaaaaaaaaaaaaaaaU));
    }
    return x;
  }

  static PHALANX_INLINE SlicedByte begin(const SlicedByte& x) { return x; }

  /// Section 4.3.5, the step that mixes two nibbles: (a, b) becomes (a ^ b, a ^ ROR4(b, 1) ^ 8a).
  static PHALANX_INLINE void mix(PlainWord128 a[4], PlainWord128 b[4]) {
    const PlainWord128 b0 = b[0];
    const PlainWord128 sum[4] = {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]};
    for (int i = 0; i < 3; ++i) b[i] = a[i] ^ b[i + 1];
    b[3] = a[3] ^ b0 ^ a[0];
    for (int i = 0; i < 4; ++i) a[i] = sum[i];
  }
  /// q0 or q1. Not inlined: h calls it from 20 places.
  template <unsigned q>
  static __attribute__((noinline)) SlicedByte permutation(const SlicedByte& x) noexcept {
    PlainWord128 a[4] = {x.bit[4], x.bit[5], x.bit[6], x.bit[7]};
    PlainWord128 b[4] = {x.bit[0], x.bit[1], x.bit[2], x.bit[3]};
    mix(a, b);
    TwofishBox<q, 0>::apply(a);
    TwofishBox<q, 1>::apply(b);
    mix(a, b);
    TwofishBox<q, 2>::apply(a);
    TwofishBox<q, 3>::apply(b);
    return {{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]}};
  }
  template <unsigned q>
  static PHALANX_INLINE void permute(SlicedByte& x, SlicedByte& y) {
    x = permutation<q>(x);
    y = permutation<q>(y);
  }
  /// y / x in the field of the MDS matrix: v(x) has the terms x^8, x^6, x^5, x^3 and 1.
  static PHALANX_INLINE SlicedByte divide_by_x(const SlicedByte& y) {
    const PlainWord128 carry = y.bit[0];
    return {{y.bit[1], y.bit[2], y.bit[3] ^ carry, y.bit[4], y.bit[5] ^ carry, y.bit[6] ^ carry, y.bit[7], carry}};
  }
  /// 5B = 1 + x^-2 and EF = 1 + x^-1 + x^-2.
  template <unsigned q>
  static PHALANX_INLINE TwofishProducts<SlicedByte> finish(const SlicedByte& x) {
    const SlicedByte y = permutation<q>(x);
    const SlicedByte half = divide_by_x(y);
    const SlicedByte y_5b = y ^ divide_by_x(half);
    return {y, y_5b, y_5b ^ half};
  }

  static PHALANX_INLINE void store_words(const SlicedByte z[4], std::uint32_t* words) {  // of lanes 0 to 63
    std::uint64_t row[64] = {};
    for (unsigned i = 0; i < 32; ++i) row[i] = z[i / 8].bit[i % 8].bits[0];
    transpose_64x64(row);
    for (unsigned j = 0; j < 64; ++j) words[j] = static_cast<std::uint32_t>(row[j]);
    wipe(row, sizeof row);
  }
};

/// Two 32-bit words of each lane as the low and high half of a number: to slices and back.
PHALANX_INLINE void twofish_slice(const std::uint64_t lane[128], SlicedWord pair[2]) {
  std::uint64_t row[128];
  std::memcpy(row, lane, sizeof row);
  transpose_64x64(row);
  transpose_64x64(row + 64);
  for (unsigned n = 0; n < 64; ++n) pair[n / 32].bit(n % 32) = PlainWord128::from_halves(row[n], row[64 + n]);
  wipe(row, sizeof row);
}
PHALANX_INLINE void twofish_unslice(const SlicedWord pair[2], std::uint64_t lane[128]) {
  for (unsigned n = 0; n < 64; ++n) {
    lane[n] = pair[n / 32].bit(n % 32).bits[0];
    lane[64 + n] = pair[n / 32].bit(n % 32).bits[1];
  }
  transpose_64x64(lane);
  transpose_64x64(lane + 64);
}

/// One key in every lane.
struct TwofishSlicedKey {
  const TwofishKey& key;

  PHALANX_INLINE unsigned num_layers() const { return key.num_layers; }
  static PHALANX_INLINE void broadcast(std::uint32_t word, SlicedWord& x) {
    for (unsigned n = 0; n < 32; ++n) x.bit(n) = PlainWord128::broadcast64(0 - std::uint64_t{word >> n & 1U});
  }
  /// K[2i] and K[2i + 1]; L[2i] and L[2i + 1].
  PHALANX_INLINE void K_pair(std::size_t i, SlicedWord pair[2]) const {
    for (std::size_t n = 0; n < 2; ++n) broadcast(key.K[2 * i + n], pair[n]);
  }
  PHALANX_INLINE void L_pair(std::size_t i, SlicedWord pair[2]) const {
    for (std::size_t n = 0; n < 2; ++n) broadcast(key.L[2 * i + n], pair[n]);
  }
};

/// A key in each lane, all of the same length. Sliced when they are used: to keep slices would make set_lane slower than the
/// cipher is.
struct TwofishSlicedLaneKeys {
  alignas(64) std::uint64_t K[20][128];  // K[2i] of each lane in the low half, K[2i + 1] in the high half
  alignas(64) std::uint64_t L[2][128];
  unsigned layers;

  PHALANX_INLINE unsigned num_layers() const { return layers; }
  PHALANX_INLINE void K_pair(std::size_t i, SlicedWord pair[2]) const { twofish_slice(K[i], pair); }
  PHALANX_INLINE void L_pair(std::size_t i, SlicedWord pair[2]) const { twofish_slice(L[i], pair); }

  void set_lane(std::size_t lane, const TwofishKey& key) {
    for (std::size_t i = 0; i < 20; ++i) K[i][lane] = key.K[2 * i] | std::uint64_t{key.K[2 * i + 1]} << 32;
    for (std::size_t i = 0; i < 2; ++i) L[i][lane] = key.L[2 * i] | std::uint64_t{key.L[2 * i + 1]} << 32;
    layers = key.num_layers;
  }
};

/// The rounds over 128 blocks, x[i] being word i of each.
template <class Keys>
struct TwofishSlicedRounds {
  const Keys& keys;
  SlicedWord L[4];
  unsigned num_layers;

  explicit TwofishSlicedRounds(const Keys& lane_keys) : keys(lane_keys), num_layers(lane_keys.num_layers()) {
    keys.L_pair(0, L);
    keys.L_pair(1, L + 2);
  }
  TwofishSlicedRounds(const TwofishSlicedRounds&) = delete;
  TwofishSlicedRounds& operator=(const TwofishSlicedRounds&) = delete;
  ~TwofishSlicedRounds() { wipe(L, sizeof L); }

  PHALANX_INLINE const SlicedByte& layer(std::size_t l, std::size_t column) const { return L[l].byte[column]; }

  static void add(SlicedWord& a, const SlicedWord& b) {
    PlainWord128 carry = PlainWord128::broadcast64(0);
    for (unsigned i = 0; i < 32; ++i) {
      const PlainWord128 x = a.bit(i) ^ carry;
      const PlainWord128 y = b.bit(i) ^ carry;
      a.bit(i) = x ^ b.bit(i);
      carry = carry ^ (x & y);
    }
  }
  /// x = ROL(x, 1), ROR(x, 1).
  static void rotate_left(SlicedWord& x) {
    const PlainWord128 top = x.bit(31);
    for (unsigned i = 31; i > 0; --i) x.bit(i) = x.bit(i - 1);
    x.bit(0) = top;
  }
  static void rotate_right(SlicedWord& x) {
    const PlainWord128 bottom = x.bit(0);
    for (unsigned i = 0; i < 31; ++i) x.bit(i) = x.bit(i + 1);
    x.bit(31) = bottom;
  }
  static void exclusive_or(SlicedWord& a, const SlicedWord& b) {
    for (unsigned i = 0; i < 32; ++i) a.bit(i) = a.bit(i) ^ b.bit(i);
  }

  /// Section 4.2: g(ROL(x, 8 * rotation)).
  template <unsigned rotation>
  SlicedWord g(const SlicedWord& x) const {
    const SlicedByte rotated[4] = {x.byte[(4 - rotation) % 4], x.byte[(5 - rotation) % 4], x.byte[(6 - rotation) % 4],
                                   x.byte[(7 - rotation) % 4]};
    TwofishProducts<SlicedByte> p[4];
    twofish_substitute<TwofishSlices>(rotated, *this, p);
    SlicedWord z;
    twofish_mds(p, z.byte);
    return z;
  }
  /// Section 4.1: round r of 16.
  template <Direction direction>
  void round(std::size_t r, const SlicedWord& a, const SlicedWord& b, SlicedWord& c, SlicedWord& d) const {
    SlicedWord f0 = g<0>(a);
    SlicedWord f1 = g<1>(b);
    add(f0, f1);
    add(f1, f0);
    SlicedWord K[2];
    keys.K_pair(r + 4, K);
    add(f0, K[0]);
    add(f1, K[1]);
    wipe(K, sizeof K);
    if constexpr (direction == Direction::encrypt) {
      exclusive_or(c, f0);
      rotate_right(c);
      rotate_left(d);
      exclusive_or(d, f1);
    } else {
      rotate_left(c);
      exclusive_or(c, f0);
      exclusive_or(d, f1);
      rotate_right(d);
    }
  }
  /// (x[0], x[1], x[2], x[3]) ^= (K[first], ..., K[first + 3]).
  void whiten(std::size_t first, SlicedWord x[4]) const {
    for (std::size_t i = 0; i < 2; ++i) {
      SlicedWord K[2];
      keys.K_pair(first / 2 + i, K);
      exclusive_or(x[2 * i], K[0]);
      exclusive_or(x[2 * i + 1], K[1]);
      wipe(K, sizeof K);
    }
  }
  /// Section 4; the halves of x are left as the last round leaves them, before the last swap is undone.
  template <Direction direction>
  void crypt(SlicedWord x[4]) const {
    constexpr bool encrypt = direction == Direction::encrypt;
    whiten(encrypt ? 0 : 4, x);
    for (std::size_t step = 0; step < 16; ++step) {
      const std::size_t swapped = step % 2 * 2;
      round<direction>(encrypt ? step : 15 - step, x[swapped], x[swapped + 1], x[2 - swapped], x[3 - swapped]);
    }
    const SlicedWord half[2] = {x[0], x[1]};
    x[0] = x[2];
    x[1] = x[3];
    x[2] = half[0];
    x[3] = half[1];
    whiten(encrypt ? 4 : 0, x);
  }
};

/// The core (engine/ciphers/block_core.hpp) over 128 blocks.
struct TwofishSlicedCore {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = 128;
  static constexpr std::size_t serial_blocks = 8;
  static constexpr std::size_t serial_messages = 8;
  static constexpr std::size_t key_lanes = 0;
  static constexpr SetsLanes sets_lanes = SetsLanes::whole;
  static constexpr std::size_t key_stack_bytes = 8192;
  static constexpr std::size_t lane_key_stack_bytes = 8192;
  static constexpr std::size_t round_stack_bytes = 20480;
  static constexpr std::size_t lane_round_stack_bytes = round_stack_bytes;
  static constexpr std::size_t clean_blocks = 0;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  static constexpr std::size_t block_stack_bytes = 512;
  using Vector = Block128;
  using Schedule = TwofishKey;
  using LaneSchedules = TwofishSlicedLaneKeys;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    twofish_expand_key<TwofishSlices>(key, key_bytes, schedule);
  }

  /// Not inlined: every mode shares this one copy.
  template <Direction direction, class Keys>
  static __attribute__((noinline)) void crypt_halves(const Keys& keys, std::uint64_t low[lanes],
                                                     std::uint64_t high[lanes]) noexcept {
    SlicedWord x[4];
    twofish_slice(low, x);
    twofish_slice(high, x + 2);
    TwofishSlicedRounds<Keys>(keys).template crypt<direction>(x);
    twofish_unslice(x, low);
    twofish_unslice(x + 2, high);
  }
  template <Direction direction, class Keys, class Load, class Store>
  static PHALANX_INLINE void crypt_all(const Keys& keys, Load load, Store store) {
    std::uint64_t low[lanes];
    std::uint64_t high[lanes];
    for (std::size_t i = 0; i < lanes; ++i) {
      const Block128 block = load(i);
      low[i] = block.half[0];
      high[i] = block.half[1];
    }
    crypt_halves<direction>(keys, low, high);
    for (std::size_t i = 0; i < lanes; ++i) store(i, Block128{{low[i], high[i]}});
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_all<direction>(TwofishSlicedKey{schedule}, load, store);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& keys, Load load, Store store) {
    crypt_all<direction>(keys, load, store);
  }

  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    call_then_wipe_stack<block_stack_bytes>([&] {
      twofish_crypt_block<direction>(schedule, TwofishNumberBoxes{schedule, schedule.num_layers}, in, out);
    });
  }

  static void set_lane(LaneSchedules& keys, std::size_t lane, const Schedule& schedule) { keys.set_lane(lane, schedule); }
};

}  // namespace
}  // namespace phalanx

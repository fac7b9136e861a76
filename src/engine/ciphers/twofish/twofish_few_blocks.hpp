// Twofish, one to eight blocks together (one to four by AVX2): all the look-ups of a round go through the whole tables at
// once, those of one block in the time of all. For streams of one message and for ranges too short to fill the lanes of
// twofish_packed_core.hpp.
//
// A word has 64 bits of each block: in one word those that enter g in a round, in another those that the round changes.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/direction.hpp"
#include "engine/ciphers/twofish/twofish_key.hpp"

namespace phalanx {
namespace {

/// The core (engine/ciphers/block_core.hpp). KeySchedule has `key`, and g(x) of every 32-bit word of x.
template <class W, class KeySchedule>
struct TwofishFewBlocks {
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t lanes = sizeof(W) / 8;
  static constexpr bool stores_last_first = false;
  static constexpr Fetches fetches = Fetches::nothing;
  static constexpr int num_steps_beside = 0;
  using Vector = W;
  using Schedule = KeySchedule;

  /// A rotation of the first word of every two, and another of the second.
  static PHALANX_INLINE W rotate_both(W x, unsigned first, unsigned second) {
    return rotate_left_each32(x, W::broadcast64(first | std::uint64_t{second} << 32));
  }

  /// Section 4.1: a round, which changes `c_d` under the words a and b, of which b comes rotated by 8.
  template <Direction direction>
  static PHALANX_INLINE void round(const Schedule& schedule, const std::uint32_t K[2], W a_b, W& c_d, W& next_a_b) {
    constexpr bool encrypt = direction == Direction::encrypt;
    const W t = schedule.g(a_b);
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

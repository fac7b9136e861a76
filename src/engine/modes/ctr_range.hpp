// This is CTR (SP 800-38A section 6.5) as a parallel mode (range_modes.hpp). It counts by appendix B.1 with m = b: the
// whole block is a big-endian counter, which wraps at 2^64 or 2^128.
#pragma once

#include "engine/modes/range_modes.hpp"

namespace phalanx {
namespace {

template <class Core>
struct Ctr {
  using CoreType = Core;
  template <class Other>
  using Over = Ctr<Other>;
  using Vector = typename Core::Vector;

  const typename Core::Schedule& schedule;
  std::uint8_t* iv;  ///< nullptr: nobody asks for the counter afterwards
  std::uint64_t high;
  std::uint64_t low;
  Vector numbers;  ///< 128-bit blocks: of the next group's first vector

  PHALANX_INLINE Ctr(const typename Core::Schedule& schedule_, std::uint8_t* iv_) : schedule(schedule_), iv(iv_), high(0) {
    if constexpr (Core::block_bytes == 16) high = reverse_bytes(load_u64(iv));
    low = reverse_bytes(load_u64(iv + Core::block_bytes - 8));
    start_numbers();
  }
  /// 128-bit blocks: from this number on.
  PHALANX_INLINE Ctr(const typename Core::Schedule& schedule_, std::uint64_t high_, std::uint64_t low_)
      : schedule(schedule_), iv(nullptr), high(high_), low(low_) {
    start_numbers();
  }
  PHALANX_INLINE ~Ctr() {
    if (iv == nullptr) return;
    if constexpr (Core::block_bytes == 16) {
      store_pair(iv, Pair64{reverse_bytes(high), reverse_bytes(low)});
    } else {
      store_u64(iv, reverse_bytes(low));
    }
  }
  PHALANX_INLINE void start_numbers() {
    if constexpr (Core::block_bytes == 16) numbers = Vector::numbers128(high, low);
  }

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    if constexpr (Core::block_bytes == 16) {
      if (carries()) {
        crypt_blocks(schedule, high, low, in, out, blocks.num_blocks);
        low += blocks.num_blocks;
        high += static_cast<std::uint64_t>(low < blocks.num_blocks);
        return start_numbers();
      }
    }
    group_by(in, out, blocks, [=, this](auto load, auto store) PHALANX_INLINE_LAMBDA {
      crypt_group<Core, Direction::encrypt>(schedule, blocks, in, out, load, store);
    });
  }
  /// Once in 2^32 blocks: a carry out of the low 32 bits within the group, or at its end, which may go on into the high
  /// half. We look at no bit above: in GCM those are the nonce, which may be derived from a key. The 32 bits below say only
  /// how many blocks were counted.
  PHALANX_INLINE bool carries() const {
    return static_cast<std::uint32_t>(low) >= static_cast<std::uint32_t>(0 - Core::lanes);
  }

  /// A group, encrypted by crypt(load, store); of 128-bit blocks only where it does not carry.
  template <class Blocks, class Crypt>
  PHALANX_INLINE void group_by(const std::uint8_t* in, std::uint8_t* out, Blocks blocks, Crypt crypt) {
    group_by(in, out, blocks, crypt, [](std::size_t, Vector, Vector) PHALANX_INLINE_LAMBDA {});
  }
  /// Encrypts a group by crypt(load, store), and tells seen(i, before, after) vector i of both texts.
  template <class Blocks, class Crypt, class Seen>
  PHALANX_INLINE void group_by(const std::uint8_t* in, std::uint8_t* out, Blocks blocks, Crypt crypt, Seen seen) {
    const auto store = [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA {
      const Vector before = blocks.load(in, i);
      blocks.store(out, i, v ^ before);
      seen(i, before, v ^ before);
    };
    if constexpr (Core::block_bytes == 8) {
      Core::crypt_counters(schedule, low, store, blocks.ahead(in, out));
    } else {
      const Vector first = numbers;  // a copy: counted on in a register, rather than made anew for each group
      crypt([first](std::size_t i)
                PHALANX_INLINE_LAMBDA { return reverse_bytes128(add_low64(first, i * (sizeof(Vector) / 16))); },
            store);
      numbers = add_low64(first, blocks.num_blocks);
    }
    low += blocks.num_blocks;
  }

  /// Out of line and by values only: in a loop of groups, what an address is taken of would stay in memory.
  static __attribute__((noinline)) void crypt_blocks(const typename Core::Schedule& schedule, std::uint64_t high,
                                                     std::uint64_t low, const std::uint8_t* in, std::uint8_t* out,
                                                     std::size_t num_blocks) {
    for (std::size_t i = 0; i < num_blocks; ++i) crypt_counted(schedule, high, low, in + 16 * i, out + 16 * i);
  }
  PHALANX_INLINE void block(const std::uint8_t* in, std::uint8_t* out) { crypt_counted(schedule, high, low, in, out); }

  /// One block; the counter moves on.
  static PHALANX_INLINE void crypt_counted(const typename Core::Schedule& schedule, std::uint64_t& high, std::uint64_t& low,
                                           const std::uint8_t* in, std::uint8_t* out) {
    std::uint8_t keystream[Core::block_bytes];
    if constexpr (Core::block_bytes == 16) {
      store_pair(keystream, Pair64{reverse_bytes(high), reverse_bytes(low)});
    } else {
      store_u64(keystream, reverse_bytes(low));
    }
    Core::template crypt_block<Direction::encrypt>(schedule, keystream, keystream);
    xor_bytes<Core::block_bytes>(out, in, keystream);
    ++low;
    high += static_cast<std::uint64_t>(low == 0);
  }
};

}  // namespace
}  // namespace phalanx

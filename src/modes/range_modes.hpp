// Every mode once, over a range of whole blocks, for any core (block_core.hpp). SP 800-38A: ECB, CBC, CFB (full-block), OFB and
// CTR (the whole block counts, big-endian); IEEE 1619: XTS.
//
// The keystone: ECB, CTR, XTS and the decryption of CBC and CFB give the same bytes however a message is cut into ranges, as
// long as each range is given the chaining state before its first block. CBC, CFB and OFB encryption are serial: their lanes
// are filled by other messages (batch.hpp), not by other blocks.
//
// A parallel mode is a struct over a core with group(in, out, num_blocks): crypt one full group of lanes, of which the first
// num_blocks count for the chaining state; and block(in, out): crypt one block. In both `in` may be `out`. It takes the chaining
// state from `iv` when it is made and has put it back when it is destroyed; Over<Other> is the same mode over another core.
#pragma once

#include "ciphers/block_core.hpp"
#include "ciphers/direction.hpp"

namespace phalanx {
namespace {

template <std::size_t num_bytes>
PHALANX_INLINE void xor_bytes(std::uint8_t* out, const std::uint8_t* a, const std::uint8_t* b) {
  if constexpr (num_bytes == 16) {
    store_pair(out, load_pair(a) ^ load_pair(b));
  } else {
    for (std::size_t i = 0; i < num_bytes; i += 8) store_u64(out + i, load_u64(a + i) ^ load_u64(b + i));
  }
}

/// One group of which only the first num_blocks exist: a copy padded with zeros.
template <class Mode>
PHALANX_INLINE void crypt_padded_group(Mode& mode, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
  constexpr std::size_t group_bytes = Mode::CoreType::lanes * Mode::CoreType::block_bytes;
  const std::size_t num_bytes = num_blocks * Mode::CoreType::block_bytes;
  alignas(64) std::uint8_t padded[group_bytes];
  std::memcpy(padded, in, num_bytes);
  std::memset(padded + num_bytes, 0, group_bytes - num_bytes);
  mode.group(padded, padded, num_blocks);
  std::memcpy(out, padded, num_bytes);
  wipe(padded, group_bytes);
}

/// Runs a parallel mode over the range: whole groups; then the rest, block by block if it is at most serial_blocks, else in the
/// core's padded group or by its Narrower core (block_core.hpp).
template <class Mode>
PHALANX_INLINE void crypt_groups(const typename Mode::CoreType::Schedule& schedule, std::uint8_t* iv, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t num_blocks, std::size_t serial_blocks) {
  using Core = typename Mode::CoreType;
  constexpr std::size_t group_bytes = Core::lanes * Core::block_bytes;
  if (!HasNarrower<Core> || num_blocks >= padded_blocks_of<Core>() || num_blocks <= serial_blocks) {
    Mode mode{schedule, iv};
    for (; num_blocks >= Core::lanes; num_blocks -= Core::lanes) {
      mode.group(in, out, Core::lanes);
      in += group_bytes;
      out += group_bytes;
    }
    if (num_blocks <= serial_blocks) {
      for (; num_blocks != 0; --num_blocks) {
        mode.block(in, out);
        in += Core::block_bytes;
        out += Core::block_bytes;
      }
      return;
    }
    if (num_blocks >= padded_blocks_of<Core>()) return crypt_padded_group(mode, in, out, num_blocks);
  }
  if constexpr (HasNarrower<Core>) {
    static_assert(Core::Narrower::lanes < Core::lanes && padded_blocks_of<Core>() <= Core::lanes);
    crypt_groups<typename Mode::template Over<typename Core::Narrower>>(schedule, iv, in, out, num_blocks, serial_blocks);
  }
}

/// Section 6.1 of SP 800-38A.
template <class Core, Direction direction>
struct Ecb {
  using CoreType = Core;
  template <class Other>
  using Over = Ecb<Other, direction>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  void group(const std::uint8_t* in, std::uint8_t* out, std::size_t /*num_blocks*/) {
    using Vector = typename Core::Vector;
    Core::template crypt<direction>(
        schedule, [=](std::size_t i) PHALANX_INLINE_LAMBDA { return Vector::load(in + i * sizeof(Vector)); },
        [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { v.store(out + i * sizeof(Vector)); });
  }
  void block(const std::uint8_t* in, std::uint8_t* out) { Core::template crypt_block<direction>(schedule, in, out); }
};

/// Section 6.2: P_j = D(C_j) ^ C_(j-1). The ciphertext is kept until it has been used, so that a group can be crypted in place.
template <class Core>
struct CbcDecrypt {
  using CoreType = Core;
  template <class Other>
  using Over = CbcDecrypt<Other>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  void group(const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    using Vector = typename Core::Vector;
    alignas(64) std::uint8_t ciphertext[64 + Core::lanes * Core::block_bytes];
    std::uint8_t* current = ciphertext + 64;
    std::uint8_t* previous = current - Core::block_bytes;
    std::memcpy(previous, iv, Core::block_bytes);
    Core::template crypt<Direction::decrypt>(
        schedule,
        [=](std::size_t i) PHALANX_INLINE_LAMBDA {
          const Vector v = Vector::load(in + i * sizeof(Vector));
          v.store(current + i * sizeof(Vector));
          return v;
        },
        [=](std::size_t i, Vector v)
            PHALANX_INLINE_LAMBDA { (v ^ Vector::load(previous + i * sizeof(Vector))).store(out + i * sizeof(Vector)); });
    std::memcpy(iv, previous + num_blocks * Core::block_bytes, Core::block_bytes);
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    std::uint8_t plaintext[Core::block_bytes];
    Core::template crypt_block<Direction::decrypt>(schedule, in, plaintext);
    xor_bytes<Core::block_bytes>(plaintext, plaintext, iv);
    std::memcpy(iv, in, Core::block_bytes);
    std::memcpy(out, plaintext, Core::block_bytes);
  }
};

/// Section 6.3 with s = b: P_j = C_j ^ E(C_(j-1)).
template <class Core>
struct CfbDecrypt {
  using CoreType = Core;
  template <class Other>
  using Over = CfbDecrypt<Other>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  void group(const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    using Vector = typename Core::Vector;
    alignas(64) std::uint8_t first[sizeof(Vector) + Core::block_bytes];  // iv, then the start of the ciphertext
    std::memcpy(first, iv, Core::block_bytes);
    std::memcpy(first + Core::block_bytes, in, sizeof(Vector));
    std::memcpy(iv, in + (num_blocks - 1) * Core::block_bytes, Core::block_bytes);
    Core::template crypt<Direction::encrypt>(
        schedule,
        [&first, in](std::size_t i)
            PHALANX_INLINE_LAMBDA { return Vector::load(i == 0 ? first : in + i * sizeof(Vector) - Core::block_bytes); },
        [=](std::size_t i, Vector v)
            PHALANX_INLINE_LAMBDA { (v ^ Vector::load(in + i * sizeof(Vector))).store(out + i * sizeof(Vector)); });
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    std::uint8_t keystream[Core::block_bytes];
    Core::template crypt_block<Direction::encrypt>(schedule, iv, keystream);
    std::memcpy(iv, in, Core::block_bytes);
    xor_bytes<Core::block_bytes>(out, iv, keystream);
  }
};

/// Section 6.5, the counters as in appendix B.1 with m = b: the whole block counts, wrapping at 2^64 or 2^128.
template <class Core>
struct Ctr {
  using CoreType = Core;
  template <class Other>
  using Over = Ctr<Other>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;
  std::uint64_t high;
  std::uint64_t low;
  // For vectors of one block, and for counters that carry far: a group of them in memory.
  alignas(64) std::uint8_t counters[Core::block_bytes == 16 ? Core::lanes * 16 : 1];
  bool has_counters = false;  ///< `counters` begin at high:low

  Ctr(const typename Core::Schedule& schedule_, std::uint8_t* iv_) : schedule(schedule_), iv(iv_), high(0) {
    if constexpr (Core::block_bytes == 16) high = reverse_bytes(load_u64(iv));
    low = reverse_bytes(load_u64(iv + Core::block_bytes - 8));
  }
  ~Ctr() {
    if constexpr (Core::block_bytes == 16) store_u64(iv, reverse_bytes(high));
    store_u64(iv + Core::block_bytes - 8, reverse_bytes(low));
  }
  PHALANX_INLINE void count(std::uint64_t num_blocks) {
    low += num_blocks;
    high += low < num_blocks ? 1 : 0;
  }

  void group(const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    group_by(in, out, num_blocks, [this](auto load, auto store) PHALANX_INLINE_LAMBDA {
      Core::template crypt<Direction::encrypt>(schedule, load, store);
    });
  }
  /// A group, encrypted by crypt(load, store).
  template <class Crypt>
  PHALANX_INLINE void group_by(const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks, Crypt crypt) {
    using Vector = typename Core::Vector;
    constexpr std::size_t blocks_per_vector = sizeof(Vector) / Core::block_bytes;
    const std::uint64_t first_high = high;
    const std::uint64_t first_low = low;
    if constexpr (Core::block_bytes == 8) {
      Core::crypt_counters(schedule, low, add_to(in, out));
    } else if constexpr (sizeof(Vector) == 16) {  // by integers, a group ahead: the vector units have the rounds to do
      if (!has_counters) write_counters();
      std::uint8_t* const place = counters;
      const auto take_and_renew = [=](std::size_t i) PHALANX_INLINE_LAMBDA {
        const Vector v = Vector::load(place + 16 * i);
        store_u64(place + 16 * i + 8, reverse_bytes(first_low + Core::lanes + i));
        return v;
      };
      crypt(take_and_renew, add_to(in, out));
      has_counters = num_blocks == Core::lanes && low < ~std::uint64_t{0} - 2 * Core::lanes;
    } else if ((low & 0xff) + Core::lanes <= 0x100) {  // only the last byte counts
      const Vector first = Vector::counters128(high, low);
      crypt([=](std::size_t i) PHALANX_INLINE_LAMBDA { return count_in_last_byte(first, i * blocks_per_vector); },
            add_to(in, out));
    } else if (low <= ~std::uint64_t{0} - (Core::lanes - 1)) {
      const auto counter = [=](std::size_t i) PHALANX_INLINE_LAMBDA {
        return Vector::counters128(first_high, first_low + i * blocks_per_vector);
      };
      crypt(counter, add_to(in, out));
    } else {  // once in 2^64 blocks: a carry into the high half within the group
      write_counters();
      const std::uint8_t* const place = counters;
      crypt([=](std::size_t i) PHALANX_INLINE_LAMBDA { return Vector::load(place + i * sizeof(Vector)); }, add_to(in, out));
    }
    count(num_blocks);
  }
  static PHALANX_INLINE auto add_to(const std::uint8_t* in, std::uint8_t* out) {
    using Vector = typename Core::Vector;
    return [=](std::size_t i, Vector v)
               PHALANX_INLINE_LAMBDA { (v ^ Vector::load(in + i * sizeof(Vector))).store(out + i * sizeof(Vector)); };
  }
  void write_counters() {
    for (std::size_t i = 0; i < Core::lanes; ++i) {
      store_u64(counters + 16 * i, reverse_bytes(high + (low + i < low ? 1 : 0)));
      store_u64(counters + 16 * i + 8, reverse_bytes(low + i));
    }
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    std::uint8_t keystream[Core::block_bytes];
    if constexpr (Core::block_bytes == 16) {
      store_pair(keystream, Pair64{reverse_bytes(high), reverse_bytes(low)});
    } else {
      store_u64(keystream, reverse_bytes(low));
    }
    Core::template crypt_block<Direction::encrypt>(schedule, keystream, keystream);
    xor_bytes<Core::block_bytes>(out, in, keystream);
    has_counters = false;
    count(1);
  }
};

/// IEEE 1619 section 5.3.1: C = E(P ^ T) ^ T, then T times alpha. `iv` is T, already encrypted. Whole blocks only.
template <class Core, Direction direction>
struct Xts {
  using CoreType = Core;
  template <class Other>
  using Over = Xts<Other, direction>;
  using Vector = typename Core::Vector;
  static constexpr std::size_t group_bytes = Core::lanes * 16;

  /// T in integer registers, a little-endian number.
  struct Tweak {
    std::uint64_t low;
    std::uint64_t high;

    static PHALANX_INLINE Tweak load(const std::uint8_t* p) { return {load_u64(p), load_u64(p + 8)}; }
    /// In halves, which leaves the vector units alone; who loads it at once as a vector wants pair().
    PHALANX_INLINE void store(std::uint8_t* p) const {
      store_u64(p, low);
      store_u64(p + 8, high);
    }
    PHALANX_INLINE Pair64 pair() const { return Pair64{low, high}; }
    /// Times alpha, modulo x^128 + x^7 + x^2 + x + 1.
    PHALANX_INLINE Tweak next() const { return {low << 1 ^ (0x87 & (0 - (high >> 63))), high << 1 | low >> 63}; }
  };

  const typename Core::Schedule& schedule;
  std::uint8_t* iv;
  // The tweaks of this group, and those of the next: a chain of dependent steps, made while this group's rounds run.
  alignas(64) std::uint8_t tweaks[2][group_bytes];
  std::uint8_t* now = nullptr;
  std::uint8_t* next = nullptr;

  Xts(const typename Core::Schedule& schedule_, std::uint8_t* iv_) : schedule(schedule_), iv(iv_) {}

  /// Stores the tweaks of the vectors that follow the one at `last`.
  static PHALANX_INLINE void follow(const std::uint8_t* last, std::uint8_t* out, std::size_t vectors) {
    if constexpr (sizeof(Vector) == 16) {  // by integers: the vector units have the rounds to do
      Tweak t = Tweak::load(last);
      for (std::size_t i = 0; i < vectors; ++i) {
        t = t.next();
        t.store(out + 16 * i);
      }
    } else {
      Vector t = Vector::load(last);
      for (std::size_t i = 0; i < vectors; ++i) {
        t = Vector::next_tweaks(t);
        t.store(out + i * sizeof(Vector));
      }
    }
  }
  /// The tweaks of the first group, from iv.
  void start() {
    now = tweaks[0];
    next = tweaks[1];
    std::memcpy(now, iv, 16);
    for (std::size_t i = 16; i < sizeof(Vector); i += 16) Tweak::load(now + i - 16).next().store(now + i);
    follow(now, now + sizeof(Vector), num_vectors<Core> - 1);
  }

  void group(const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    if (now == nullptr) start();
    follow(now + group_bytes - sizeof(Vector), next, num_vectors<Core>);
    const std::uint8_t* const t = now;
    Core::template crypt<direction>(
        schedule,
        [in, t](std::size_t i)
            PHALANX_INLINE_LAMBDA { return Vector::load(in + i * sizeof(Vector)) ^ Vector::load(t + i * sizeof(Vector)); },
        [out, t](std::size_t i, Vector v)
            PHALANX_INLINE_LAMBDA { (v ^ Vector::load(t + i * sizeof(Vector))).store(out + i * sizeof(Vector)); });
    std::memcpy(iv, num_blocks == Core::lanes ? next : now + num_blocks * 16, 16);
    now = next;
    next = now == tweaks[0] ? tweaks[1] : tweaks[0];
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    const Tweak t = Tweak::load(iv);
    std::uint8_t mask[16];
    std::uint8_t x[16];
    store_pair(mask, t.pair());
    xor_bytes<16>(x, in, mask);
    Core::template crypt_block<direction>(schedule, x, x);
    xor_bytes<16>(out, x, mask);
    store_pair(iv, t.next().pair());
  }
};

/// Section 6.2: C_j = E(P_j ^ C_(j-1)), serial.
template <class Core>
PHALANX_INLINE void cbc_encrypt(const typename Core::Schedule& schedule, std::uint8_t* iv, const std::uint8_t* in,
                                std::uint8_t* out, std::size_t num_blocks) {
  std::uint8_t chain[Core::block_bytes];
  std::memcpy(chain, iv, Core::block_bytes);
  for (std::size_t j = 0; j < num_blocks; ++j) {
    xor_bytes<Core::block_bytes>(chain, chain, in + j * Core::block_bytes);
    Core::template crypt_block<Direction::encrypt>(schedule, chain, chain);
    std::memcpy(out + j * Core::block_bytes, chain, Core::block_bytes);
  }
  std::memcpy(iv, chain, Core::block_bytes);
}

/// Section 6.3 with s = b: C_j = P_j ^ E(C_(j-1)), serial.
template <class Core>
PHALANX_INLINE void cfb_encrypt(const typename Core::Schedule& schedule, std::uint8_t* iv, const std::uint8_t* in,
                                std::uint8_t* out, std::size_t num_blocks) {
  std::uint8_t chain[Core::block_bytes];
  std::memcpy(chain, iv, Core::block_bytes);
  for (std::size_t j = 0; j < num_blocks; ++j) {
    Core::template crypt_block<Direction::encrypt>(schedule, chain, chain);
    xor_bytes<Core::block_bytes>(chain, chain, in + j * Core::block_bytes);
    std::memcpy(out + j * Core::block_bytes, chain, Core::block_bytes);
  }
  std::memcpy(iv, chain, Core::block_bytes);
}

/// Section 6.4: the keystream is E applied over and over to the iv; both directions are the same.
template <class Core>
PHALANX_INLINE void ofb(const typename Core::Schedule& schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                        std::size_t num_blocks) {
  std::uint8_t keystream[Core::block_bytes];
  std::memcpy(keystream, iv, Core::block_bytes);
  for (std::size_t j = 0; j < num_blocks; ++j) {
    Core::template crypt_block<Direction::encrypt>(schedule, keystream, keystream);
    xor_bytes<Core::block_bytes>(out + j * Core::block_bytes, in + j * Core::block_bytes, keystream);
  }
  std::memcpy(iv, keystream, Core::block_bytes);
}

}  // namespace
}  // namespace phalanx

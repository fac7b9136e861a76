// This has every mode once, over a range of whole blocks, for any core (block_core.hpp). ECB, CBC, CFB (full-block) and
// OFB of SP 800-38A are here; CTR is in ctr_range.hpp, XTS in xts_range.hpp.
//
// ECB, CTR, XTS and the decryption of CBC and CFB give the same bytes however a message is cut into ranges. Each range
// must be given the chaining state before its first block. CBC, CFB and OFB encryption are serial: their lanes are
// filled by other messages (lane_modes.hpp), not by other blocks.
//
// A parallel mode is a struct over a core with two functions. group(in, out, blocks) crypts a group, where `blocks`
// says how many of it exist and loads and stores them (WholeGroup, PartOfGroup). block(in, out) crypts one block. In
// both `in` may be `out`. The mode takes the chaining state from `iv` when it is made, and has put it back when it is
// destroyed. Over<Other> is the same mode over another core.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/modes/mode.hpp"

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

/// One block through a mode, by ModeStep: `chain` is the state before it and then after it; `in` may be `out`.
template <class Core, ModeStep step>
PHALANX_INLINE void crypt_one_block(const typename Core::Schedule& schedule, std::uint8_t* chain, const std::uint8_t* in,
                                    std::uint8_t* out) {
  constexpr std::size_t block_bytes = Core::block_bytes;
  std::uint8_t x[block_bytes];
  if constexpr (step.takes_input && step.takes_chain) {
    xor_bytes<block_bytes>(x, chain, in);
  } else {
    std::memcpy(x, step.takes_input ? in : chain, block_bytes);
  }
  Core::template crypt_block<step.cipher_direction>(schedule, x, x);
  if constexpr (step.next == ChainUpdate::crypted) std::memcpy(chain, x, block_bytes);
  if constexpr (step.adds_input) xor_bytes<block_bytes>(x, x, in);
  if constexpr (step.adds_chain) xor_bytes<block_bytes>(x, x, chain);
  if constexpr (step.next == ChainUpdate::input) std::memcpy(chain, in, block_bytes);
  if constexpr (step.next == ChainUpdate::output) std::memcpy(chain, x, block_bytes);
  std::memcpy(out, x, block_bytes);
}

/// Crypts a range in a serial mode: CBC and CFB encryption, OFB.
template <class Core, Mode mode, Direction direction>
PHALANX_INLINE void crypt_serially(const typename Core::Schedule& schedule, std::uint8_t* iv, const std::uint8_t* in,
                                   std::uint8_t* out, std::size_t num_blocks) {
  std::uint8_t chain[Core::block_bytes];
  std::memcpy(chain, iv, Core::block_bytes);
  for (std::size_t i = 0; i < num_blocks * Core::block_bytes; i += Core::block_bytes) {
    crypt_one_block<Core, step_of(mode, direction)>(schedule, chain, in + i, out + i);
  }
  std::memcpy(iv, chain, Core::block_bytes);
}

/// A group's blocks in memory, vector by vector: all of them.
template <class Core>
struct WholeGroup {
  using Vector = typename Core::Vector;
  static constexpr bool is_whole = true;
  static constexpr std::size_t num_blocks = Core::lanes;
  std::size_t blocks_after = 0;  ///< how many blocks of the range follow the group

  PHALANX_INLINE Vector load(const std::uint8_t* from, std::size_t i) const {
    return Vector::load(from + i * sizeof(Vector));
  }
  PHALANX_INLINE void store(std::uint8_t* to, std::size_t i, Vector v) const { v.store(to + i * sizeof(Vector)); }
  /// The group after the next one: far enough away for memory's latency, near enough to stay in the first cache.
  PHALANX_INLINE PrefetchHint ahead(const std::uint8_t* in, std::uint8_t* out) const {
    constexpr std::size_t distance = 2 * Core::lanes * Core::block_bytes;
    return blocks_after >= 2 * Core::lanes ? PrefetchHint{in + distance, out + distance} : PrefetchHint{};
  }
  /// For small groups the hint is some groups further on, or else this one.
  PHALANX_INLINE PrefetchHint far_ahead(const std::uint8_t* in, std::uint8_t* out) const {
    constexpr std::size_t distance = 4096;
    const std::size_t step = blocks_after * Core::block_bytes >= distance ? distance : 0;
    return {in + step, out + step};
  }
};

/// The first num_blocks of a group, 1 at least: the core gets zeros for the others, and no byte beyond is read or written.
template <class Core>
struct PartOfGroup {
  using Vector = typename Core::Vector;
  static constexpr bool is_whole = false;
  std::size_t num_blocks;

  /// Returns how many bytes of vector i exist.
  PHALANX_INLINE std::size_t num_bytes(std::size_t i) const {
    const std::size_t end = num_blocks * Core::block_bytes;
    const std::size_t begin = i * sizeof(Vector);
    return end <= begin ? 0 : end - begin < sizeof(Vector) ? end - begin : sizeof(Vector);
  }
  /// True where the vector loads and stores blocks of 16 bytes without masks.
  static constexpr bool by_blocks = Core::block_bytes == 16 && requires(Vector v) { v.store_blocks(nullptr, 1); };

  PHALANX_INLINE Vector load(const std::uint8_t* from, std::size_t i) const {
    if constexpr (by_blocks) return load_or(from, i, Vector::zero());
    return Vector::load_first(from + i * sizeof(Vector), num_bytes(i));
  }
  /// The first block over and over.
  static PHALANX_INLINE Vector repeat_first(const std::uint8_t* from) {
    if constexpr (Core::block_bytes == 16 && requires { Vector::broadcast128(from); }) return Vector::broadcast128(from);
    alignas(64) std::uint8_t bytes[sizeof(Vector)];
    for (std::size_t at = 0; at < sizeof(Vector); at += Core::block_bytes) std::memcpy(bytes + at, from, Core::block_bytes);
    return Vector::load(bytes);
  }
  /// load with the blocks of `others` in place of those that do not exist, rather than zeros.
  PHALANX_INLINE Vector load_or(const std::uint8_t* from, std::size_t i, Vector others) const {
    if constexpr (by_blocks) return Vector::load_blocks(from + i * sizeof(Vector), num_bytes(i) / 16, others);
    if (num_bytes(i) == 0) return others;
    if (num_bytes(i) == sizeof(Vector)) return load(from, i);
    alignas(64) std::uint8_t bytes[sizeof(Vector)];
    others.store(bytes);
    for (std::size_t at = 0; at < num_bytes(i); at += Core::block_bytes) {
      std::memcpy(bytes + at, from + i * sizeof(Vector) + at, Core::block_bytes);
    }
    return Vector::load(bytes);
  }
  PHALANX_INLINE void store(std::uint8_t* to, std::size_t i, Vector v) const {
    if constexpr (by_blocks) return v.store_blocks(to + i * sizeof(Vector), num_bytes(i) / 16);
    v.store_first(to + i * sizeof(Vector), num_bytes(i));
  }
  PHALANX_INLINE PrefetchHint ahead(const std::uint8_t* /*in*/, std::uint8_t* /*out*/) const { return {}; }
};

/// Core::crypt of a group that lies at `in` and `out`.
template <class Core, Direction direction, class Blocks, class Load, class Store>
PHALANX_INLINE void crypt_group(const typename Core::Schedule& schedule, Blocks blocks, const std::uint8_t* in,
                                std::uint8_t* out, Load load, Store store) {
  if constexpr (Core::fetches == Fetches::ahead) {
    Core::template crypt<direction>(schedule, load, store, blocks.ahead(in, out));
  } else if constexpr (Core::fetches == Fetches::far_ahead && Blocks::is_whole) {
    Core::template crypt<direction>(schedule, load, store, blocks.far_ahead(in, out));
  } else {
    Core::template crypt<direction>(schedule, load, store);
  }
}

/// Runs a parallel mode over the range, whole groups first. The rest goes block by block if it is at most
/// serial_blocks. A longer rest goes in the core's padded group or by its Narrower core (block_core.hpp). The mode is
/// made from `iv`.
template <class Mode, class Iv>
PHALANX_INLINE void crypt_groups(const typename Mode::CoreType::Schedule& schedule, Iv iv, const std::uint8_t* in,
                                 std::uint8_t* out, std::size_t num_blocks, std::size_t serial_blocks) {
  using Core = typename Mode::CoreType;
  static_assert(is_range_core<Core>());
  constexpr std::size_t group_bytes = Core::lanes * Core::block_bytes;
  if (!HasNarrower<Core> || num_blocks >= padded_blocks_of<Core>() || num_blocks <= serial_blocks) {
    Mode mode{schedule, iv};
    for (; num_blocks >= Core::lanes; num_blocks -= Core::lanes) {
      mode.group(in, out, WholeGroup<Core>{num_blocks - Core::lanes});
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
    if (num_blocks >= padded_blocks_of<Core>()) return mode.group(in, out, PartOfGroup<Core>{num_blocks});
  }
  if constexpr (HasNarrower<Core>) {
    crypt_groups<typename Mode::template Over<typename Core::Narrower>>(schedule, iv, in, out, num_blocks, serial_blocks);
  }
}

/// This is section 6.1 of SP 800-38A.
template <class Core, Direction direction>
struct Ecb {
  using CoreType = Core;
  template <class Other>
  using Over = Ecb<Other, direction>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    using Vector = typename Core::Vector;
    const auto store = [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { blocks.store(out, i, v); };
    if constexpr (direction == Direction::encrypt && Core::block_bytes == 16 && !Blocks::is_whole) {
      // No block of zeros is encrypted that nobody gave us: it would be GCM's hash key, in the lanes that are left over.
      const Vector others = blocks.repeat_first(in);
      crypt_group<Core, direction>(
          schedule, blocks, in, out, [=](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load_or(in, i, others); },
          store);
    } else {
      crypt_group<Core, direction>(
          schedule, blocks, in, out, [=](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load(in, i); }, store);
    }
  }
  void block(const std::uint8_t* in, std::uint8_t* out) { Core::template crypt_block<direction>(schedule, in, out); }
};

/// Chaining brings these blocks to a group that starts at `in`: the block before it, then all but the last block of its
/// first vector.
template <class Core>
struct BlocksBefore {
  using Vector = typename Core::Vector;
  alignas(64) std::uint8_t bytes[Core::block_bytes + sizeof(Vector)];

  template <class Blocks>
  PHALANX_INLINE BlocksBefore(const std::uint8_t* iv, Blocks blocks, const std::uint8_t* in) {
    std::memcpy(bytes, iv, Core::block_bytes);
    blocks.load(in, 0).store(bytes + Core::block_bytes);
  }
  /// Vector i of the group, each block replaced by the one before it.
  template <class Blocks>
  PHALANX_INLINE Vector load(Blocks blocks, const std::uint8_t* in, std::size_t i) const {
    return i == 0 ? Vector::load(bytes) : blocks.load(in - Core::block_bytes, i);
  }
};

/// Section 6.2 gives P_j = D(C_j) ^ C_(j-1). In place, a core that stores its last vector first finds every C_(j-1)
/// still there. For others the ciphertext is kept until it has been used.
template <class Core>
struct CbcDecrypt {
  using CoreType = Core;
  template <class Other>
  using Over = CbcDecrypt<Other>;
  using Vector = typename Core::Vector;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    if constexpr (Core::stores_last_first) {
      const BlocksBefore<Core> before(iv, blocks, in);
      std::memcpy(iv, in + (blocks.num_blocks - 1) * Core::block_bytes, Core::block_bytes);
      crypt_group<Core, Direction::decrypt>(
          schedule, blocks, in, out, [=](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load(in, i); },
          [=, &before](std::size_t i, Vector v)
              PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ before.load(blocks, in, i)); });
    } else {
      crypt_with_copy(in, out, blocks);
    }
  }
  template <class Blocks>
  PHALANX_INLINE void crypt_with_copy(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    alignas(64) std::uint8_t ciphertext[64 + Core::lanes * Core::block_bytes];
    std::uint8_t* current = ciphertext + 64;
    std::uint8_t* previous = current - Core::block_bytes;
    std::memcpy(previous, iv, Core::block_bytes);
    crypt_group<Core, Direction::decrypt>(
        schedule, blocks, in, out,
        [=](std::size_t i) PHALANX_INLINE_LAMBDA {
          const Vector v = blocks.load(in, i);
          v.store(current + i * sizeof(Vector));
          return v;
        },
        [=](std::size_t i, Vector v)
            PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ Vector::load(previous + i * sizeof(Vector))); });
    std::memcpy(iv, previous + blocks.num_blocks * Core::block_bytes, Core::block_bytes);
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    crypt_one_block<Core, step_of(Mode::cbc, Direction::decrypt)>(schedule, iv, in, out);
  }
};

/// Section 6.3 with s = b gives P_j = C_j ^ E(C_(j-1)).
template <class Core>
struct CfbDecrypt {
  using CoreType = Core;
  template <class Other>
  using Over = CfbDecrypt<Other>;
  const typename Core::Schedule& schedule;
  std::uint8_t* iv;

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    using Vector = typename Core::Vector;
    const BlocksBefore<Core> before(iv, blocks, in);
    std::memcpy(iv, in + (blocks.num_blocks - 1) * Core::block_bytes, Core::block_bytes);
    crypt_group<Core, Direction::encrypt>(
        schedule, blocks, in, out, [=, &before](std::size_t i) PHALANX_INLINE_LAMBDA { return before.load(blocks, in, i); },
        [=](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ blocks.load(in, i)); });
  }
  void block(const std::uint8_t* in, std::uint8_t* out) {
    crypt_one_block<Core, step_of(Mode::cfb, Direction::decrypt)>(schedule, iv, in, out);
  }
};

}  // namespace
}  // namespace phalanx

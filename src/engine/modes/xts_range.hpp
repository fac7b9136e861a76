// XTS (IEEE 1619 section 5.3.1) as a parallel mode (range_modes.hpp): C = E(P ^ T) ^ T, then T times alpha. `iv` is T,
// already encrypted. Whole blocks only.
#pragma once

#include "engine/modes/range_modes.hpp"

namespace phalanx {
namespace {

/// This holds T in integer registers, as a little-endian number.
struct Tweak {
  std::uint64_t low;
  std::uint64_t high;

  static PHALANX_INLINE Tweak load(const std::uint8_t* p) { return {load_u64(p), load_u64(p + 8)}; }
  PHALANX_INLINE Pair64 pair() const { return Pair64{low, high}; }
  /// Times alpha, modulo x^128 + x^7 + x^2 + x + 1.
  PHALANX_INLINE Tweak next() const { return {low << 1 ^ (0x87 & (0 - (high >> 63))), high << 1 | low >> 63}; }
};

/// The vector that tweaks are made in: one of two blocks where the core's has one, for half the operations.
template <class Vector>
struct TweakVectorOf {
  using Type = Vector;
};
template <class Vector>
requires requires { typename Vector::TweakVector; }
struct TweakVectorOf<Vector> {
  using Type = typename Vector::TweakVector;
};

/// Vectors that far_tweaks skips; 0 where there is no such step.
template <class Vector>
constexpr std::size_t far_tweak_step() {
  if constexpr (requires(Vector v) { far_tweaks(v); }) return Vector::far_tweak_step;
  return 0;
}

/// These are the tweaks of one group after another. Each vector of them follows from one some vectors before. So there
/// are chains that wait only for themselves, and run beside the rounds of the groups before. A long group takes the far
/// steps: more chains, each shorter.
template <class Core>
struct GroupTweaks {
  using BlockVector = typename Core::Vector;
  using Vector = typename TweakVectorOf<BlockVector>::Type;
  static constexpr std::size_t num = num_vectors<Core> * sizeof(BlockVector) / sizeof(Vector);
  static constexpr std::size_t far_step = far_tweak_step<Vector>();
  static constexpr bool goes_far = far_step != 0 && num >= far_step;
  static constexpr std::size_t step = goes_far ? far_step : Vector::tweak_step;

  Vector tweaks[num];
  Vector next[step];  ///< the first of the next group

  explicit PHALANX_INLINE GroupTweaks(const std::uint8_t* iv) {
    static_assert(step <= num);
    for (std::size_t i = 0; i < Vector::tweak_step; ++i) next[i] = Vector::first_tweaks(iv, i);
    for (std::size_t i = Vector::tweak_step; i < step; ++i) next[i] = next_tweaks(next[i - Vector::tweak_step]);
  }
  static PHALANX_INLINE Vector after(Vector t) {
    if constexpr (goes_far) {
      return far_tweaks(t);
    } else {
      return next_tweaks(t);
    }
  }
  PHALANX_INLINE void make() {
    for (std::size_t i = 0; i < num; ++i) tweaks[i] = i < step ? next[i] : after(tweaks[i - step]);
    for (std::size_t i = 0; i < step; ++i) next[i] = after(tweaks[num - step + i]);
  }
  /// Returns the tweaks of vector i of the group.
  PHALANX_INLINE BlockVector operator[](std::size_t i) const {
    if constexpr (sizeof(Vector) == sizeof(BlockVector)) return tweaks[i];
    return BlockVector::load(reinterpret_cast<const std::uint8_t*>(tweaks) + i * sizeof(BlockVector));
  }

  /// T after num_blocks blocks of the group.
  PHALANX_INLINE void store_tweak(std::size_t num_blocks, std::uint8_t* iv) const {
    alignas(64) std::uint8_t bytes[num * sizeof(Vector)];
    if (num_blocks == Core::lanes) {
      next[0].store(bytes);
      std::memcpy(iv, bytes, 16);
      return;
    }
    for (std::size_t i = 0; i < num; ++i) tweaks[i].store(bytes + i * sizeof(Vector));
    std::memcpy(iv, bytes + num_blocks * 16, 16);
    wipe(bytes, sizeof bytes);
  }
};

template <class Core, Direction direction>
struct Xts {
  using CoreType = Core;
  template <class Other>
  using Over = Xts<Other, direction>;
  using Vector = typename Core::Vector;

  const typename Core::Schedule& schedule;
  std::uint8_t* iv;
  GroupTweaks<Core> tweaks;
  Tweak tweak;  ///< of the next block

  PHALANX_INLINE Xts(const typename Core::Schedule& schedule_, std::uint8_t* iv_)
      : schedule(schedule_), iv(iv_), tweaks(iv_), tweak(Tweak::load(iv_)) {}
  PHALANX_INLINE ~Xts() { store_pair(iv, tweak.pair()); }

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    tweaks.make();
    const auto& t = tweaks;
    crypt_group<Core, direction>(
        schedule, blocks, in, out, [=, &t](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load(in, i) ^ t[i]; },
        [=, &t](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ t[i]); });
    t.store_tweak(blocks.num_blocks, iv);
    tweak = Tweak::load(iv);
  }
  PHALANX_INLINE void block(const std::uint8_t* in, std::uint8_t* out) {
    std::uint8_t mask[16];
    std::uint8_t x[16];
    store_pair(mask, tweak.pair());
    xor_bytes<16>(x, in, mask);
    Core::template crypt_block<direction>(schedule, x, x);
    xor_bytes<16>(out, x, mask);
    tweak = tweak.next();
  }
};

}  // namespace
}  // namespace phalanx

// XTS (IEEE 1619 section 5.3.1) as a parallel mode (range_modes.hpp): C = E(P ^ T) ^ T, then T times alpha. `iv` is T, already
// encrypted. Whole blocks only.
#pragma once

#include "modes/range_modes.hpp"

namespace phalanx {
namespace {

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

/// The tweaks of group after group, for vectors of one block: made by integers, since the vector units have the rounds to do, and
/// a group ahead, since they are a chain of dependent steps.
template <class Core>
struct IntegerTweaks {
  using Vector = typename Core::Vector;
  alignas(64) std::uint8_t tweaks[2][Core::lanes * 16];
  unsigned now = 0;
  bool started = false;

  /// The tweaks from `iv` on. Vector i's is [i] of what this returns.
  PHALANX_INLINE const IntegerTweaks& make(const std::uint8_t* iv) {
    if (!started) {
      Tweak::load(iv).store(tweaks[0]);
      follow(tweaks[0], tweaks[0] + 16, Core::lanes - 1);
      started = true;
    } else {
      now = 1 - now;
    }
    follow(tweaks[now] + (Core::lanes - 1) * 16, tweaks[1 - now], Core::lanes);
    return *this;
  }
  PHALANX_INLINE Vector operator[](std::size_t i) const { return Vector::load(tweaks[now] + i * 16); }
  /// T after num_blocks blocks of the group.
  PHALANX_INLINE void store_tweak(std::size_t num_blocks, std::uint8_t* iv) const {
    std::memcpy(iv, num_blocks == Core::lanes ? tweaks[1 - now] : tweaks[now] + num_blocks * 16, 16);
  }
  static PHALANX_INLINE void follow(const std::uint8_t* last, std::uint8_t* out, std::size_t num_tweaks) {
    Tweak t = Tweak::load(last);
    for (std::size_t i = 0; i < num_tweaks; ++i) {
      t = t.next();
      t.store(out + 16 * i);
    }
  }
};

/// The same for vectors of several blocks: `num_tweak_chains` chains of vectors, each from the group before.
template <class Core>
struct VectorTweaks {
  using Vector = typename Core::Vector;
  static constexpr std::size_t num_chains = Vector::num_tweak_chains;
  static constexpr std::size_t num = num_vectors<Core>;
  Vector tweaks[num + num_chains];
  bool started = false;

  PHALANX_INLINE const VectorTweaks& make(const std::uint8_t* iv) {
    for (std::size_t i = 0; i < num_chains; ++i) tweaks[i] = started ? tweaks[num + i] : Vector::first_tweaks(iv, i);
    for (std::size_t i = num_chains; i < num + num_chains; ++i) tweaks[i] = next_tweaks(tweaks[i - num_chains]);
    started = true;
    return *this;
  }
  PHALANX_INLINE Vector operator[](std::size_t i) const { return tweaks[i]; }
  PHALANX_INLINE void store_tweak(std::size_t num_blocks, std::uint8_t* iv) const {
    alignas(64) std::uint8_t bytes[sizeof tweaks];
    if (num_blocks == Core::lanes) {
      tweaks[num].store(bytes);
      std::memcpy(iv, bytes, 16);
      return;
    }
    for (std::size_t i = 0; i < num; ++i) tweaks[i].store(bytes + i * sizeof(Vector));
    std::memcpy(iv, bytes + num_blocks * 16, 16);
  }
};

template <class Core, bool vector_is_block = sizeof(typename Core::Vector) == 16>
struct TweaksOf {
  using Type = IntegerTweaks<Core>;
};
template <class Core>
struct TweaksOf<Core, false> {
  using Type = VectorTweaks<Core>;
};

template <class Core, Direction direction>
struct Xts {
  using CoreType = Core;
  template <class Other>
  using Over = Xts<Other, direction>;
  using Vector = typename Core::Vector;

  const typename Core::Schedule& schedule;
  std::uint8_t* iv;
  typename TweaksOf<Core>::Type tweaks;

  PHALANX_INLINE Xts(const typename Core::Schedule& schedule_, std::uint8_t* iv_) : schedule(schedule_), iv(iv_) {}

  template <class Blocks>
  PHALANX_INLINE void group(const std::uint8_t* in, std::uint8_t* out, Blocks blocks) {
    const auto& t = tweaks.make(iv);
    Core::template crypt<direction>(
        schedule, [=, &t](std::size_t i) PHALANX_INLINE_LAMBDA { return blocks.load(in, i) ^ t[i]; },
        [=, &t](std::size_t i, Vector v) PHALANX_INLINE_LAMBDA { blocks.store(out, i, v ^ t[i]); });
    t.store_tweak(blocks.num_blocks, iv);
  }
  PHALANX_INLINE void block(const std::uint8_t* in, std::uint8_t* out) {
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

}  // namespace
}  // namespace phalanx

// Serpent where every operation waits for the one before: one block in plain registers, or the blocks of one word. What
// counts is not how many operations a round has, but how many follow from one another. So the S-boxes have circuits of their
// own, of more gates in fewer steps (serpent_early_circuits.hpp), whose latest inputs are x0 and x2, which the linear
// transformation rotates last. The keys of those two are added to what is there earlier.
//
// Decryption takes the rounds of serpent_rounds.hpp: no mode that waits for each block decrypts.
#pragma once

#include "engine/ciphers/direction.hpp"
#include "engine/ciphers/serpent/circuits/serpent_early_circuits.hpp"
#include "engine/ciphers/serpent/serpent_rounds.hpp"

namespace phalanx {
namespace {

template <class W>
struct SerpentSerialRounds {
  /// A word of a round key, rotated to the left.
  template <int count>
  static PHALANX_INLINE W rotated_key(std::uint32_t key) {
    return rotate_left32<count>(W::broadcast32(key));
  }

  /// S-box, linear transformation and the next key.
  template <unsigned box>
  static PHALANX_INLINE void encrypt_round(const std::uint32_t next_key[4], W x[4]) {
    SerpentEarlyBox<box>::apply(x);
    const W a0 = rotate_left32<13>(x[0]);
    const W a2 = rotate_left32<3>(x[2]);
    const W x1 = rotate_left32<1>((a0 ^ a2) ^ x[1]);
    const W x3 = rotate_left32<7>((x[3] ^ a2) ^ shift_left32<3>(a0));
    const W keyed_a0 = a0 ^ rotated_key<27>(next_key[0]);
    const W keyed_a2 = a2 ^ rotated_key<10>(next_key[2]);
    x[0] = rotate_left32<5>((x1 ^ x3) ^ keyed_a0);
    x[2] = rotate_left32<22>((x3 ^ keyed_a2) ^ shift_left32<7>(x1));
    x[1] = x1 ^ W::broadcast32(next_key[1]);
    x[3] = x3 ^ W::broadcast32(next_key[3]);
  }
  static PHALANX_INLINE void encrypt(const SerpentSchedule& schedule, W x[4]) {
    const SerpentSharedKey keys{schedule};
    const auto* const key = schedule.key;
    keys.add(0, 0, x);
    PHALANX_NO_UNROLL
    for (std::size_t round = 0;; round += 8) {
      encrypt_round<0>(key[round + 1], x);
      encrypt_round<1>(key[round + 2], x);
      encrypt_round<2>(key[round + 3], x);
      encrypt_round<3>(key[round + 4], x);
      encrypt_round<4>(key[round + 5], x);
      encrypt_round<5>(key[round + 6], x);
      encrypt_round<6>(key[round + 7], x);
      if (round == 24) break;
      encrypt_round<7>(key[round + 8], x);
    }
    SerpentEarlyBox<7>::apply(x);
    keys.add(32, 0, x);
  }
  template <Direction direction>
  static PHALANX_INLINE void crypt(const SerpentSchedule& schedule, W x[1][4]) {
    if constexpr (direction == Direction::encrypt) {
      encrypt(schedule, x[0]);
    } else {
      SerpentRounds<W, 1>::decrypt(SerpentSharedKey{schedule}, x);
    }
  }
};

/// One block. Not inlined: every mode shares this one copy.
template <Direction direction>
__attribute__((noinline)) void serpent_crypt_block(const SerpentSchedule& schedule, const std::uint8_t* in,
                                                   std::uint8_t* out) noexcept {
  Word32 x[1][4];
  split_block(Block128::load(in), x[0]);
  SerpentSerialRounds<Word32>::template crypt<direction>(schedule, x);
  join_block(x[0]).store(out);
}

/// A word of blocks. Likewise.
template <Direction direction, class W>
__attribute__((noinline)) void serpent_crypt_word(const SerpentSchedule& schedule, W x[1][4]) noexcept {
  W y[1][4];
  std::memcpy(y, x, sizeof y);
  SerpentSerialRounds<W>::template crypt<direction>(schedule, y);
  std::memcpy(x, y, sizeof y);
}

}  // namespace
}  // namespace phalanx

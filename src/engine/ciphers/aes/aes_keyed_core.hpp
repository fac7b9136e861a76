// AES (FIPS 197) by the round instructions of AArch64, one block a vector. AESE and AESD add a round key before they
// substitute, where AESENC and AESDEC add one behind: so each round takes the key of the round before, and the last key
// remains. All else is as in aes_instruction_core.hpp, with the same round keys.
#pragma once

#include "engine/ciphers/aes/aes_instruction_core.hpp"

namespace phalanx {
namespace {

template <Direction direction, class Vector>
PHALANX_INLINE Vector aes_keyed_last(Vector v, Vector key) {
  if constexpr (direction == Direction::encrypt) {
    return aes_encrypt_keyed(v, key);
  } else {
    return aes_decrypt_keyed(v, key);
  }
}

template <Direction direction, class Vector>
PHALANX_INLINE Vector aes_keyed_round(Vector v, Vector key) {
  const Vector substituted = aes_keyed_last<direction>(v, key);
  if constexpr (direction == Direction::encrypt) {
    return aes_mix_columns(substituted);
  } else {
    return aes_inverse_mix_columns(substituted);
  }
}

template <class VectorType, int num_rounds>
struct AesKeyedCore : AesInstructionCore<VectorType, VectorType, num_rounds> {
  using Base = AesInstructionCore<VectorType, VectorType, num_rounds>;
  using Vector = VectorType;
  using Schedule = typename Base::Schedule;
  using LaneSchedules = typename Base::LaneSchedules;
  static constexpr std::size_t num_group_vectors = Base::lanes;

  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    const auto* const keys = schedule.round_keys[static_cast<int>(direction)];
    Vector v = Vector::load(in);
    for (int i = 1; i < num_rounds; ++i) v = aes_keyed_round<direction>(v, Vector::load(keys[i - 1]));
    (aes_keyed_last<direction>(v, Vector::load(keys[num_rounds - 1])) ^ Vector::load(keys[num_rounds])).store(out);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_beside_by<direction, false>(schedule, load, store, [](int) PHALANX_INLINE_LAMBDA {});
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store, PrefetchHint ahead) {
    crypt_beside_by<direction, false>(schedule, load, store,
                                      [ahead](int i) PHALANX_INLINE_LAMBDA { Base::fetch_line(ahead, i); });
  }
  template <Direction direction, class Load, class Store, class Beside>
  static PHALANX_INLINE void crypt_beside(const Schedule& schedule, Load load, Store store, Beside beside) {
    crypt_beside_by<direction, true>(schedule, load, store, beside);
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& schedules, Load load, Store store) {
    const auto* const keys = schedules.round_keys[static_cast<int>(direction)];
    crypt_group<direction, false>([keys](int round, std::size_t i)
                                      PHALANX_INLINE_LAMBDA { return Vector::load(keys[round][i]); },
                                  load, store, [](int) PHALANX_INLINE_LAMBDA {});
  }

 private:
  template <Direction direction, bool fetches_keys, class Load, class Store, class Beside>
  static PHALANX_INLINE void crypt_beside_by(const Schedule& schedule, Load load, Store store, Beside beside) {
    const auto* const keys = schedule.round_keys[static_cast<int>(direction)];
    crypt_group<direction, fetches_keys>(
        [keys](int round, std::size_t) PHALANX_INLINE_LAMBDA { return Vector::load(keys[round]); }, load, store,
        [beside](int round) PHALANX_INLINE_LAMBDA {
          if (round <= Base::num_steps_beside) beside(round - 1);
        });
  }

  /// CIPHER() of section 5.1 or EQINVCIPHER() of 5.3.5 on a group; round_key(round, i) is vector i's. after_round(round)
  /// follows each inner round. If fetches_keys, each round key is loaded when it is needed: beside a hash there is no
  /// register for all, and g++ 12 would put some on the stack.
  template <Direction direction, bool fetches_keys, class RoundKey, class Load, class Store, class AfterRound>
  static PHALANX_INLINE void crypt_group(RoundKey round_key, Load load, Store store, AfterRound after_round) {
    Vector v[num_group_vectors];
    for (std::size_t i = 0; i < num_group_vectors; ++i) v[i] = load(i);
#pragma GCC unroll 16
    for (int round = 1; round < num_rounds; ++round) {
      for (std::size_t i = 0; i < num_group_vectors; ++i) {
        v[i] = aes_keyed_round<direction>(v[i], round_key(round - 1, i));
      }
      if constexpr (fetches_keys) __asm__ volatile("" : : : "memory");
      after_round(round);
    }
    for (std::size_t i = 0; i < num_group_vectors; ++i) {
      v[i] = aes_keyed_last<direction>(v[i], round_key(num_rounds - 1, i)) ^ round_key(num_rounds, i);
    }
    for (std::size_t i = 0; i < num_group_vectors; ++i) store(i, v[i]);
  }
};

}  // namespace
}  // namespace phalanx

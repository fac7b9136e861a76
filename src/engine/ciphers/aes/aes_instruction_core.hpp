// AES (FIPS 197) by round instructions, over a vector of one block (AES-NI) or of four (VAES).
//
// AESDEC is a round of the equivalent inverse cipher (section 5.3.5), so decryption has round keys of its own: those of
// encryption from last to first, the inner ones put through INVMIXCOLUMNS().
#pragma once

#include "engine/ciphers/aes/aes_key_expansion.hpp"
#include "engine/ciphers/aes/aes_lane_keys.hpp"
#include "engine/ciphers/block_core.hpp"
#include "engine/ciphers/direction.hpp"

namespace phalanx {
namespace {

template <Direction direction, class Vector>
PHALANX_INLINE Vector aes_round(Vector v, Vector key) {
  if constexpr (direction == Direction::encrypt) {
    return aes_encrypt_round(v, key);
  } else {
    return aes_decrypt_round(v, key);
  }
}

template <Direction direction, class Vector>
PHALANX_INLINE Vector aes_last_round(Vector v, Vector key) {
  if constexpr (direction == Direction::encrypt) {
    return aes_encrypt_last(v, key);
  } else {
    return aes_decrypt_last(v, key);
  }
}

template <int num_rounds>
struct alignas(64) AesSchedule {
  std::uint8_t round_keys[num_directions][num_rounds + 1][16];
};

/// How few vectors the narrowest group has: a group of 4 blocks by AVX2, of 8 by AVX-512, for short messages, takes no
/// longer than one block, if other messages follow.
template <class Vector>
inline constexpr std::size_t least_group_vectors = sizeof(Vector) == 16 ? 4 : 2;

/// A round has a latency of 3 to 5 cycles, and up to 2 start in one: 8 vectors keep the units busy, 4 nearly do. Single
/// blocks, which do not wait for one another either, are as fast where a vector is one block.
template <class VectorType, class Block, int num_rounds, std::size_t num_group_vectors = 8>
struct AesInstructionCore : WithNarrower<AesInstructionCore<VectorType, Block, num_rounds, num_group_vectors / 2>,
                                         (sizeof(VectorType) > 16 && num_group_vectors > least_group_vectors<VectorType>)> {
  using Vector = VectorType;
  static constexpr std::size_t block_bytes = 16;
  static constexpr std::size_t blocks_per_vector = sizeof(Vector) / block_bytes;
  static constexpr std::size_t lanes = num_group_vectors * blocks_per_vector;
  static constexpr std::size_t serial_blocks = blocks_per_vector == 1 ? 7 : blocks_per_vector == 2 ? 2 : 1;
  static constexpr std::size_t padded_blocks = blocks_per_vector == 1 || num_group_vectors == least_group_vectors<Vector> ? 1
                                               : blocks_per_vector == 2
                                                   ? (num_group_vectors == 8 ? lanes : lanes * 3 / 4 + 1)
                                                   : (num_group_vectors == 8 ? lanes * 3 / 4 + 1 : lanes / 2 + 1);
  static constexpr std::size_t serial_messages = 1;
  static constexpr std::size_t key_stack_bytes = 512;
  static constexpr std::size_t lane_key_stack_bytes = 512;
  static constexpr std::size_t round_stack_bytes = 0;
  static constexpr std::size_t lane_round_stack_bytes = 0;
  static constexpr std::size_t clean_blocks = 0;
  static constexpr SetsLanes sets_lanes = SetsLanes::by_direction;
  static constexpr bool stores_last_first = false;

  /// A core whose group has another number of vectors.
  template <std::size_t num>
  using OfVectors = AesInstructionCore<VectorType, Block, num_rounds, num>;

  using Schedule = AesSchedule<num_rounds>;
  struct alignas(64) LaneSchedules {
    std::uint8_t round_keys[num_directions][num_rounds + 1][lanes][16];
  };

  static void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, Schedule& schedule) {
    auto* const encrypt = schedule.round_keys[static_cast<int>(Direction::encrypt)];
    auto* const decrypt = schedule.round_keys[static_cast<int>(Direction::decrypt)];
    aes_expand_key<num_rounds>(key, encrypt, [](std::uint32_t word) PHALANX_INLINE_LAMBDA {
      // Four equal columns: SHIFTROWS() moves nothing.
      return aes_encrypt_last(Block::broadcast32(word), Block::zero()).first32();
    });
    for (int i = 0; i <= num_rounds; ++i) {
      const Block round_key = Block::load(encrypt[num_rounds - i]);
      const bool inner = i != 0 && i != num_rounds;
      (inner ? aes_inverse_mix_columns(round_key) : round_key).store(decrypt[i]);
    }
  }

  static constexpr std::size_t key_lanes = blocks_per_vector;
  static void expand_lane_keys(const std::uint8_t* keys, std::size_t key_bytes, std::size_t first_lane,
                               LaneSchedules& schedules) {
    auto* const encrypt = schedules.round_keys[static_cast<int>(Direction::encrypt)];
    auto* const decrypt = schedules.round_keys[static_cast<int>(Direction::decrypt)];
    alignas(64) std::uint8_t halves[2][blocks_per_vector][16] = {};
    for (std::size_t i = 0; 8 * i < key_bytes; ++i) {
      for (std::size_t lane = 0; lane < blocks_per_vector; ++lane) {
        store_u64(halves[i / 2][lane] + i % 2 * 8, load_u64(keys + 8 * (i * lanes + first_lane + lane)));
      }
    }
    aes_expand_vector<num_rounds>(
        Vector::load(halves[0]), Vector::load(halves[1]), [=](int round, Vector round_key) PHALANX_INLINE_LAMBDA {
          const bool inner = round != 0 && round != num_rounds;
          round_key.store(encrypt[round][first_lane]);
          (inner ? aes_inverse_mix(round_key) : round_key).store(decrypt[num_rounds - round][first_lane]);
        });
  }

  template <Direction direction>
  static void set_lane_for(LaneSchedules& schedules, std::size_t lane, const Schedule& schedule) {
    const auto* const from = schedule.round_keys[static_cast<int>(direction)];
    auto* const to = schedules.round_keys[static_cast<int>(direction)];
    for (std::size_t round = 0; round <= num_rounds; ++round) Block::load(from[round]).store(to[round][lane]);
  }

  template <Direction direction>
  static PHALANX_INLINE void crypt_block(const Schedule& schedule, const std::uint8_t* in, std::uint8_t* out) {
    const auto* const keys = schedule.round_keys[static_cast<int>(direction)];
    Block v = Block::load(in) ^ Block::load(keys[0]);
    for (int i = 1; i < num_rounds; ++i) v = aes_round<direction>(v, Block::load(keys[i]));
    aes_last_round<direction>(v, Block::load(keys[num_rounds])).store(out);
  }

  static constexpr Fetches fetches = Fetches::far_ahead;
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store) {
    crypt_beside_by<direction, goes_round_by_round>(schedule, load, store, [](int) PHALANX_INLINE_LAMBDA {});
  }
  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt(const Schedule& schedule, Load load, Store store, PrefetchHint ahead) {
    crypt_beside_by<direction, goes_round_by_round>(schedule, load, store,
                                                    [ahead](int i) PHALANX_INLINE_LAMBDA { fetch_line(ahead, i); });
  }
  /// Line i of the group ahead, if it has so many.
  static PHALANX_INLINE void fetch_line(PrefetchHint ahead, int i) {
    const std::size_t offset = static_cast<std::size_t>(i) * 64;
    if (offset < lanes * block_bytes) ahead.fetch_line(offset);
  }

  static constexpr int num_steps_beside = 9;  // AES-128 has as many inner rounds
  template <Direction direction, class Load, class Store, class Beside>
  static PHALANX_INLINE void crypt_beside(const Schedule& schedule, Load load, Store store, Beside beside) {
    crypt_beside_by<direction, false>(schedule, load, store, beside);
  }

  template <Direction direction, class Load, class Store>
  static PHALANX_INLINE void crypt_lanes(const LaneSchedules& schedules, Load load, Store store) {
    const auto* const keys = schedules.round_keys[static_cast<int>(direction)];
    crypt_group<direction, false>([keys](int round, std::size_t i)
                                      PHALANX_INLINE_LAMBDA { return Vector::load(keys[round][i * blocks_per_vector]); },
                                  load, store, [](int) PHALANX_INLINE_LAMBDA {});
  }

 private:
  /// Vectors of two blocks, two of them, are loaded and stored in part by branches, those of four by masks.
  static constexpr bool branches = sizeof(Vector) == 32 && num_group_vectors == 2;
  /// Whether all vectors wait for each round. clang 19 else goes on with some of them, and puts round keys on the stack for
  /// the rest.
#if defined(__clang__)
  static constexpr bool goes_round_by_round = sizeof(Vector) == 32;
#else
  static constexpr bool goes_round_by_round = false;
#endif

  template <Direction direction, bool round_by_round, class Load, class Store, class Beside>
  static PHALANX_INLINE void crypt_beside_by(const Schedule& schedule, Load load, Store store, Beside beside) {
    const auto* const keys = schedule.round_keys[static_cast<int>(direction)];
    crypt_group<direction, round_by_round>(
        [keys](int round, std::size_t) PHALANX_INLINE_LAMBDA { return Vector::broadcast128(keys[round]); }, load, store,
        [beside](int round) PHALANX_INLINE_LAMBDA {
          if (round <= num_steps_beside) beside(round - 1);
        });
  }

  /// Without a loop where `load` and `store` may branch, as GCM's hash of a part of a group does: g++ 12 would keep the
  /// vectors in memory from round to round.
  template <class Function>
  static PHALANX_INLINE void for_each_vector(Function function) {
    if constexpr (num_group_vectors == 2) {
      function(0);
      function(1);
    } else {
      for (std::size_t i = 0; i < num_group_vectors; ++i) function(i);
    }
  }

  /// CIPHER() of section 5.1 or EQINVCIPHER() of 5.3.5 on a group; round_key(round, i) is vector i's. after_round(round)
  /// follows each inner round.
  template <Direction direction, bool round_by_round, class RoundKey, class Load, class Store, class AfterRound>
  static PHALANX_INLINE void crypt_group(RoundKey round_key, Load load, Store store, AfterRound after_round) {
    Vector v[num_group_vectors];
    if constexpr (num_group_vectors == 2 && !branches) {
      for_each_vector([&](std::size_t i) PHALANX_INLINE_LAMBDA { v[i] = load(i); });
      // No key before: g++ 14 would put it on the stack while ECB loads a part of a group.
      __asm__ volatile("" : : : "memory");
      for_each_vector([&](std::size_t i) PHALANX_INLINE_LAMBDA { v[i] = v[i] ^ round_key(0, i); });
    } else {
      for_each_vector([&](std::size_t i) PHALANX_INLINE_LAMBDA { v[i] = load(i) ^ round_key(0, i); });
    }
#pragma GCC unroll 16
    for (int round = 1; round < num_rounds; ++round) {
      for (std::size_t i = 0; i < num_group_vectors; ++i) v[i] = aes_round<direction>(v[i], round_key(round, i));
      if constexpr (branches) {
        // Both vectors now. Else the rounds of the second one wait for such a branch, and the round keys on the stack.
        __asm__ volatile("" : "+x"(v[0].bits), "+x"(v[1].bits) : : "memory");
      } else if constexpr (round_by_round) {
        for (std::size_t i = 0; i < num_group_vectors; ++i) __asm__ volatile("" : "+x"(v[i].bits) : : "memory");
      } else if constexpr (num_group_vectors == 2) {
        __asm__ volatile("" : : : "memory");  // each round key when it is needed, and none on the stack
      }
      after_round(round);
    }
    for (std::size_t i = 0; i < num_group_vectors; ++i) {
      v[i] = aes_last_round<direction>(v[i], round_key(num_rounds, i));
    }
    for_each_vector([&](std::size_t i) PHALANX_INLINE_LAMBDA { store(i, v[i]); });
  }
};

}  // namespace
}  // namespace phalanx

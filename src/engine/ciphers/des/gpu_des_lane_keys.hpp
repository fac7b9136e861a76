// A DES key for each of a thread's 32 blocks: the round keys are planes too, and the key schedule is only the choice of a
// plane.
//
// C and D of FIPS 46-3 are turned from round to round, so a bit of the round key comes from a plane further on. A plane of C
// and the plane of D beside it are turned alike, and lie together: one access has both. Behind the 28 are copies of the
// first ones: then the rounds of a group of four find all their bits at the same distance from where one of them has them,
// and one address serves four rounds. Most turns are by two planes, and most distances known when this is compiled. A pass
// that takes the rounds backwards has its planes backwards, and the same distances.
#pragma once

#include "engine/ciphers/des/gpu_des.hpp"

namespace phalanx {
namespace {

inline constexpr unsigned des_rounds_at_once = 4;
inline constexpr unsigned num_key_planes = 28 + 6;  ///< the rounds of a group turn C and D by at most 6

/// From a lane's planes of C and D to its next ones. In between are those of the warp's other lanes.
inline constexpr unsigned key_planes_stride_bytes = 32 * sizeof(GpuBlock64);

/// A group of rounds.
struct GpuDesRoundGroup {
  std::uint32_t planes[28];  ///< bytes to those that are two before the ones of each bit of C and D in the second round
  std::uint32_t first_turn;  ///< from there to the first round's
  std::uint32_t last_turn;   ///< to the last round's
};
/// For passes that take the rounds in their order, and for those that take them backwards.
struct GpuDesKeySchedule {
  GpuDesRoundGroup group[2][16 / des_rounds_at_once];
  std::uint16_t place[2][64];  ///< bytes to the plane of each bit of the key (from 0); parity bits have none
};

constexpr GpuDesKeySchedule make_key_schedule() {
  GpuDesKeySchedule schedule{};
  unsigned turned[16]{};  // C and D in each round
  for (unsigned round = 0, sum = 0; round < 16; ++round) turned[round] = sum += shifts[round];
  for (unsigned backwards = 0; backwards < 2; ++backwards) {
    const auto number = [backwards](unsigned i) { return backwards != 0 ? 27 - i % 28 : i % 28; };
    for (unsigned i = 0; i < 56; ++i) {
      const std::size_t place = number(i) * key_planes_stride_bytes + i / 28 * sizeof(std::uint32_t);
      schedule.place[backwards][PC1[i] - 1] = static_cast<std::uint16_t>(place);
    }
    for (unsigned g = 0; g < 16 / des_rounds_at_once; ++g) {
      const auto number_in_round = [&](unsigned j, unsigned i) {
        const unsigned round = g * des_rounds_at_once + j;
        return number(i + turned[backwards != 0 ? 15 - round : round]);
      };
      const auto turn_of = [&](unsigned j) {
        return (number_in_round(j, 0) + 28 - number_in_round(1, 0) + 2) % 28 * key_planes_stride_bytes;
      };
      GpuDesRoundGroup& group = schedule.group[backwards][g];
      group.first_turn = turn_of(0);
      group.last_turn = turn_of(3);
      for (unsigned i = 0; i < 28; ++i) group.planes[i] = (number_in_round(1, i) + 26) % 28 * key_planes_stride_bytes;
    }
  }
  return schedule;
}

/// Whether a pass takes its key's rounds from the last to the first.
PHALANX_INLINE bool is_backwards(unsigned num_passes, unsigned pass, Direction direction) {
  return (direction == Direction::encrypt) == pass_decrypts(num_passes, pass);
}

/// The planes of a lane's 32 keys.
struct GpuDesKeyPlanes {
  static constexpr std::size_t warp_bytes_per_pass = std::size_t{num_key_planes} * key_planes_stride_bytes;

  std::uint8_t* memory;

  PHALANX_INLINE std::uint8_t* of_pass(unsigned pass) const { return memory + pass * warp_bytes_per_pass; }

  /// Transposes the keys: key(i) is the address of stream i's key of num_passes * 8 bytes.
  template <class Key>
  PHALANX_INLINE void load(unsigned num_passes, const GpuDesKeySchedule& schedule, Direction direction, Key key) const {
    PHALANX_NO_UNROLL
    for (unsigned half = 0; half < 2 * num_passes; ++half) {
      const unsigned backwards = is_backwards(num_passes, half / 2, direction) ? 1 : 0;
      std::uint32_t x[32];
      PHALANX_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        x[i] = load_block<2>(key(i), half / 2, true).word[half % 2];
      }
      transpose_bits(x);
      PHALANX_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        if (i % 8 == 0) continue;  // bits count from the left in a byte, and the last is parity
        std::uint8_t* const place = of_pass(half / 2) + schedule.place[backwards][half % 2 * 32 + (i ^ 7)];
        store(place, x[i]);
        if (place < of_pass(half / 2) + copied_bytes) store(place + 28 * key_planes_stride_bytes, x[i]);
      }
    }
  }
  PHALANX_INLINE void wipe_planes(unsigned num_passes) const {
    for (unsigned i = 0; i < num_key_planes * num_passes; ++i)
      store_block<2>(memory + i * key_planes_stride_bytes, 0, {}, true);
  }

 private:
  static constexpr std::size_t copied_bytes = std::size_t{num_key_planes - 28} * key_planes_stride_bytes;

  static PHALANX_INLINE void store(std::uint8_t* place, std::uint32_t bits) {
    *reinterpret_cast<std::uint32_t*>(place) = bits;
  }
};

/// An address in shared memory as one register: compilers would else add up its three terms anew for each round.
PHALANX_INLINE const std::uint8_t* in_one_register(const std::uint8_t* shared) {
#if defined(__CUDA_ARCH__)
  auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("" : "+r"(address));
  return static_cast<const std::uint8_t*>(__cvta_shared_to_generic(address));
#else
  return shared;
#endif
}

/// Keys for GpuDes::crypt_blocks: one for each lane.
struct GpuDesLaneKeys {
  static constexpr unsigned rounds_at_once = des_rounds_at_once;
  GpuDesKeyPlanes planes;
  const GpuDesKeySchedule& schedule;
  unsigned num_passes;
  Direction direction;

  /// The key of one S-box, from the round's planes of C and D.
  template <unsigned b>
  struct BoxKey {
    const GpuBlock64* planes;

    template <unsigned i>
    PHALANX_INLINE GpuWord input(GpuWord r) const {
      constexpr unsigned bit = PC2[6 * b + i] - 1;
      return r ^ GpuWord { planes[bit % 28].word[bit / 28] };
    }
    template <unsigned k>
    PHALANX_INLINE GpuWord update(GpuWord l, GpuWord s) const {
      return l ^ s;
    }
  };
  struct RoundKey {
    GpuBlock64 planes[28];

    template <unsigned b>
    PHALANX_INLINE BoxKey<b> box() const {
      return {planes};
    }
  };
  struct FourRounds {
    const std::uint8_t* planes[28];
    std::uint32_t first_turn;
    std::uint32_t last_turn;

    template <unsigned j>
    PHALANX_INLINE RoundKey of() const {
      if constexpr (j == 0) return turned(first_turn);
      if constexpr (j == des_rounds_at_once - 1) return turned(last_turn);
      return turned(2 * j * key_planes_stride_bytes);
    }

   private:
    PHALANX_INLINE RoundKey turned(std::uint32_t turn) const {
      RoundKey key;
      PHALANX_UNROLL
      for (unsigned i = 0; i < 28; ++i) key.planes[i] = load_block<2>(planes[i] + turn, 0, true);
      return key;
    }
  };

  PHALANX_INLINE void begin_pass(unsigned /*pass*/, GpuWord* /*right*/) const {}
  PHALANX_INLINE FourRounds rounds(unsigned step, unsigned round) const {
    const unsigned pass = direction == Direction::encrypt ? step : num_passes - 1 - step;
    const unsigned backwards = is_backwards(num_passes, pass, direction) ? 1 : 0;
    const std::uint8_t* const of_pass = in_one_register(planes.of_pass(pass));
    const GpuDesRoundGroup& group = schedule.group[backwards][round / des_rounds_at_once];
    FourRounds four{{}, group.first_turn, group.last_turn};
    PHALANX_UNROLL
    for (unsigned i = 0; i < 28; ++i) four.planes[i] = in_one_register(of_pass + group.planes[i]);
    return four;
  }
  PHALANX_INLINE void end_rounds(unsigned /*pass*/, unsigned /*round*/) const {}
  PHALANX_INLINE void end_passes(GpuWord* /*right*/) const {}
};

}  // namespace
}  // namespace phalanx

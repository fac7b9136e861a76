// A DES key for each of a thread's 32 blocks: the round keys are planes too, and the key schedule is only the choice of a
// plane.
//
// C and D of FIPS 46-3 are turned from round to round, so a bit of the round key comes from a plane further on. The planes
// of C are followed by copies of its first ones, and D's too: then the rounds of a group of four find all their bits at the
// same distance from where the group's first round has them, and one address serves four rounds.
#pragma once

#include "ciphers/des/gpu_des.hpp"

namespace phalanx {
namespace {

inline constexpr unsigned des_rounds_at_once = 4;
inline constexpr unsigned planes_of_half_key = 28 + 6;  ///< the rounds of a group turn C and D by at most 6

/// Where a lane's plane of a pass's key is. In between are those of the warp's other lanes.
inline constexpr unsigned key_plane_stride_bytes = 32 * sizeof(std::uint32_t);

/// A group of rounds.
struct GpuDesRoundGroup {
  std::uint32_t bit[48];                   ///< bytes to the plane of each bit of its first round's key
  std::uint32_t turn[des_rounds_at_once];  ///< from there to those of the other rounds
};
struct GpuDesKeySchedule {
  GpuDesRoundGroup group[16 / des_rounds_at_once];
  std::uint8_t plane[64];  ///< that of each bit of the key (from 0); parity bits have none
};

constexpr GpuDesKeySchedule make_key_schedule() {
  GpuDesKeySchedule schedule{};
  for (unsigned i = 0; i < 56; ++i) {
    schedule.plane[PC1[i] - 1] = static_cast<std::uint8_t>(i / 28 * planes_of_half_key + i % 28);
  }
  unsigned turned = 0;
  for (unsigned round = 0; round < 16; ++round) {
    GpuDesRoundGroup& group = schedule.group[round / des_rounds_at_once];
    const unsigned i = round % des_rounds_at_once;
    turned = i == 0 ? 0 : turned + shifts[round];
    group.turn[i] = turned * key_plane_stride_bytes;
    if (i != 0) continue;
    for (unsigned bit = 0; bit < 48; ++bit) {
      group.bit[bit] = schedule.plane[round_key_bits.key_bit[round][bit]] * key_plane_stride_bytes;
    }
  }
  return schedule;
}

/// The planes of a lane's 32 keys.
struct GpuDesKeyPlanes {
  static constexpr std::size_t warp_bytes_per_pass = std::size_t{2} * planes_of_half_key * key_plane_stride_bytes;

  std::uint8_t* memory;

  PHALANX_INLINE std::uint8_t* of_pass(unsigned pass) const { return memory + pass * warp_bytes_per_pass; }

  /// Transposes the keys: key(i) is the address of stream i's key of num_passes * 8 bytes, or nullptr.
  template <class Key>
  PHALANX_INLINE void load(unsigned num_passes, const GpuDesKeySchedule& schedule, Key key) const {
    PHALANX_NO_UNROLL
    for (unsigned half = 0; half < 2 * num_passes; ++half) {
      std::uint32_t x[32];
      PHALANX_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint8_t* const from = key(i);
        x[i] = from == nullptr ? 0 : load_block<2>(from, half / 2, true).word[half % 2];
      }
      transpose_bits(x);
      PHALANX_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        if (i % 8 == 0) continue;  // bits count from the left in a byte, and the last is parity
        const unsigned plane = schedule.plane[half % 2 * 32 + (i ^ 7)];
        store(half / 2, plane, x[i]);
        if (plane % planes_of_half_key + 28 < planes_of_half_key) store(half / 2, plane + 28, x[i]);
      }
    }
  }
  PHALANX_INLINE void wipe_planes(unsigned num_passes) const {
    for (unsigned i = 0; i < 2 * planes_of_half_key * num_passes; ++i) store(0, i, 0);
  }

 private:
  PHALANX_INLINE void store(unsigned pass, unsigned plane, std::uint32_t bits) const {
    *reinterpret_cast<std::uint32_t*>(of_pass(pass) + plane * key_plane_stride_bytes) = bits;
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

  /// The key of one S-box: the planes of the group's first round, and how far they are turned.
  template <unsigned b>
  struct BoxKey {
    const std::uint8_t* const* plane;
    std::uint32_t turn;

    template <unsigned i>
    PHALANX_INLINE GpuWord input(GpuWord r) const {
      return r ^ GpuWord { *reinterpret_cast<const std::uint32_t*>(plane[6 * b + i] + turn) };
    }
    template <unsigned k>
    PHALANX_INLINE GpuWord update(GpuWord l, GpuWord s) const {
      return l ^ s;
    }
  };
  struct RoundKey {
    const std::uint8_t* const* plane;
    std::uint32_t turn;

    template <unsigned b>
    PHALANX_INLINE BoxKey<b> box() const {
      return {plane, turn};
    }
  };
  struct FourRounds {
    const std::uint8_t* plane[48];
    const std::uint32_t* turn;
    bool backwards;

    template <unsigned j>
    PHALANX_INLINE RoundKey of() const {
      return {plane, turn[backwards ? 3 - j : j]};
    }
  };

  PHALANX_INLINE void begin_pass(unsigned /*pass*/, GpuWord* /*right*/) const {}
  PHALANX_INLINE FourRounds rounds(unsigned step, unsigned round) const {
    const bool encrypts = direction == Direction::encrypt;
    const unsigned pass = encrypts ? step : num_passes - 1 - step;
    const bool backwards = encrypts == pass_decrypts(num_passes, pass);
    const std::uint8_t* const of_pass = in_one_register(planes.of_pass(pass));
    const GpuDesRoundGroup& group = schedule.group[(backwards ? 15 - round : round) / des_rounds_at_once];
    FourRounds four{{}, group.turn, backwards};
    PHALANX_UNROLL
    for (unsigned bit = 0; bit < 48; ++bit) four.plane[bit] = in_one_register(of_pass + group.bit[bit]);
    return four;
  }
  PHALANX_INLINE void end_rounds(unsigned /*pass*/, unsigned /*round*/) const {}
  PHALANX_INLINE void end_passes(GpuWord* /*right*/) const {}
};

}  // namespace
}  // namespace phalanx

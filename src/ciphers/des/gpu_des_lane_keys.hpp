// A DES key for each of a thread's 32 blocks: the round keys are planes too, and the key schedule is only the choice of a plane.
//
// C and D of FIPS 46-3 are turned from round to round, so a bit of the round key comes from a plane further on. The planes of C are
// followed by copies of its first ones, and D's too: then the rounds of a group of four find all their bits at the same distance
// from where the group's first round has them, and one address serves four rounds.
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

/// L ^= f(R, K), a key in each lane: the planes of the group's first round, and how far they are turned.
template <unsigned box>
PHALANX_INLINE void lane_feistel_box(GpuWord left[32], const GpuWord right[32], const std::uint8_t* const plane[48],
                                     std::uint32_t turn) {
  constexpr unsigned in[6] = {E[6 * box] - 1U,     E[6 * box + 1] - 1U, E[6 * box + 2] - 1U,
                              E[6 * box + 3] - 1U, E[6 * box + 4] - 1U, E[6 * box + 5] - 1U};
  constexpr unsigned to[4] = {inverse_p.position[4 * box] - 1U, inverse_p.position[4 * box + 1] - 1U,
                              inverse_p.position[4 * box + 2] - 1U, inverse_p.position[4 * box + 3] - 1U};
  const auto input = [&](unsigned i, unsigned bit) {
    const GpuWord key_bit = {*reinterpret_cast<const std::uint32_t*>(plane[6 * box + i] + turn)};
    return right[bit] ^ key_bit;
  };
  const SBoxOutput<GpuWord> s =
      des_s_box<box>(input(0, in[0]), input(1, in[1]), input(2, in[2]), input(3, in[3]), input(4, in[4]), input(5, in[5]));
  left[to[0]] = left[to[0]] ^ s.y1;
  left[to[1]] = left[to[1]] ^ s.y2;
  left[to[2]] = left[to[2]] ^ s.y3;
  left[to[3]] = left[to[3]] ^ s.y4;
}

PHALANX_INLINE void lane_feistel(GpuWord left[32], const GpuWord right[32], const std::uint8_t* const plane[48],
                                 std::uint32_t turn) {
  lane_feistel_box<0>(left, right, plane, turn);
  lane_feistel_box<1>(left, right, plane, turn);
  lane_feistel_box<2>(left, right, plane, turn);
  lane_feistel_box<3>(left, right, plane, turn);
  lane_feistel_box<4>(left, right, plane, turn);
  lane_feistel_box<5>(left, right, plane, turn);
  lane_feistel_box<6>(left, right, plane, turn);
  lane_feistel_box<7>(left, right, plane, turn);
}

/// Keys for GpuDes::crypt_blocks: one for each lane.
struct GpuDesLaneKeys {
  GpuDesKeyPlanes planes;
  const GpuDesKeySchedule& schedule;
  unsigned num_passes;
  Direction direction;

  PHALANX_INLINE void crypt_planes(GpuWord left[32], GpuWord right[32]) const {
    PHALANX_NO_UNROLL
    for (unsigned step = 0; step < num_passes; ++step) {
      const bool encrypts = direction == Direction::encrypt;
      const unsigned pass = encrypts ? step : num_passes - 1 - step;
      const bool backwards = encrypts == pass_decrypts(num_passes, pass);
      const std::uint8_t* const of_pass = in_one_register(planes.of_pass(pass));
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < 16 / des_rounds_at_once; ++i) {
        const GpuDesRoundGroup& group = schedule.group[backwards ? 16 / des_rounds_at_once - 1 - i : i];
        const std::uint8_t* plane[48];
        PHALANX_UNROLL
        for (unsigned bit = 0; bit < 48; ++bit) plane[bit] = in_one_register(of_pass + group.bit[bit]);
        lane_feistel(left, right, plane, group.turn[backwards ? 3 : 0]);
        lane_feistel(right, left, plane, group.turn[backwards ? 2 : 1]);
        lane_feistel(left, right, plane, group.turn[backwards ? 1 : 2]);
        lane_feistel(right, left, plane, group.turn[backwards ? 0 : 3]);
      }
      GpuDes::swap_halves(left, right);
    }
  }
};

}  // namespace
}  // namespace phalanx

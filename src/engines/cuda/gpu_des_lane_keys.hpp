// A DES key for each of a thread's 32 blocks: the round keys are planes too, and the key schedule is only the choice of a plane.
#pragma once

#include "engines/cuda/gpu_des.hpp"

namespace phalanx {
namespace {

/// The planes of a lane's 32 keys: bit n (from 0, FIPS 46-3's bit n + 1) of pass p's keys is word[32 * (64 p + n)]. In between are
/// those of the warp's other lanes.
struct GpuDesKeyPlanes {
  static constexpr unsigned stride = 32;
  static constexpr std::size_t warp_bytes_per_pass = 64 * stride * sizeof(std::uint32_t);

  std::uint32_t* word;

  /// Transposes the keys: key(i) is the address of stream i's key of num_passes * 8 bytes, or nullptr.
  template <class Key>
  PHALANX_INLINE void load(unsigned num_passes, Key key) const {
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
      for (unsigned i = 0; i < 32; ++i) word[(32 * half + (i ^ 7)) * stride] = x[i];  // bits count from the left in a byte
    }
  }
  PHALANX_INLINE void wipe_planes(unsigned num_passes) const {
    for (unsigned i = 0; i < 64 * num_passes; ++i) word[i * stride] = 0;
  }
};

/// For each round, where its 48 key bits are in a pass's planes: offsets in bytes, which are added to an address as they are.
struct GpuDesPlaneOffsets {
  std::uint32_t offset[16][48];
};
constexpr GpuDesPlaneOffsets make_plane_offsets() {
  GpuDesPlaneOffsets offsets{};
  for (unsigned round = 0; round < 16; ++round) {
    for (unsigned i = 0; i < 48; ++i) {
      offsets.offset[round][i] = round_key_bits.key_bit[round][i] * 4 * GpuDesKeyPlanes::stride;
    }
  }
  return offsets;
}

/// L ^= f(R, K), a key in each lane.
template <unsigned box>
PHALANX_INLINE void lane_feistel_box(GpuWord left[32], const GpuWord right[32], const std::uint8_t* planes,
                                     const std::uint32_t offset[48]) {
  constexpr unsigned in[6] = {E[6 * box] - 1U,     E[6 * box + 1] - 1U, E[6 * box + 2] - 1U,
                              E[6 * box + 3] - 1U, E[6 * box + 4] - 1U, E[6 * box + 5] - 1U};
  constexpr unsigned to[4] = {inverse_p.position[4 * box] - 1U, inverse_p.position[4 * box + 1] - 1U,
                              inverse_p.position[4 * box + 2] - 1U, inverse_p.position[4 * box + 3] - 1U};
  const auto input = [&](unsigned i, unsigned bit) {
    const GpuWord key_bit = {*reinterpret_cast<const std::uint32_t*>(planes + offset[6 * box + i])};
    return right[bit] ^ key_bit;
  };
  const SBoxOutput<GpuWord> s =
      des_s_box<box>(input(0, in[0]), input(1, in[1]), input(2, in[2]), input(3, in[3]), input(4, in[4]), input(5, in[5]));
  left[to[0]] = left[to[0]] ^ s.y1;
  left[to[1]] = left[to[1]] ^ s.y2;
  left[to[2]] = left[to[2]] ^ s.y3;
  left[to[3]] = left[to[3]] ^ s.y4;
}

PHALANX_INLINE void lane_feistel(GpuWord left[32], const GpuWord right[32], const std::uint8_t* planes,
                                 const std::uint32_t offset[48]) {
  lane_feistel_box<0>(left, right, planes, offset);
  lane_feistel_box<1>(left, right, planes, offset);
  lane_feistel_box<2>(left, right, planes, offset);
  lane_feistel_box<3>(left, right, planes, offset);
  lane_feistel_box<4>(left, right, planes, offset);
  lane_feistel_box<5>(left, right, planes, offset);
  lane_feistel_box<6>(left, right, planes, offset);
  lane_feistel_box<7>(left, right, planes, offset);
}

/// Keys for GpuDes::crypt_blocks: one for each lane.
struct GpuDesLaneKeys {
  GpuDesKeyPlanes planes;
  const GpuDesPlaneOffsets& offsets;
  unsigned num_passes;
  Direction direction;

  PHALANX_INLINE void crypt_planes(GpuWord left[32], GpuWord right[32]) const {
    PHALANX_NO_UNROLL
    for (unsigned step = 0; step < num_passes; ++step) {
      const bool encrypts = direction == Direction::encrypt;
      const unsigned pass = encrypts ? step : num_passes - 1 - step;
      const bool backwards = encrypts == pass_decrypts(num_passes, pass);
      const auto* const of_pass = reinterpret_cast<const std::uint8_t*>(planes.word + 64 * pass * GpuDesKeyPlanes::stride);
      PHALANX_NO_UNROLL
      for (unsigned round = 0; round < 16; round += 2) {
        lane_feistel(left, right, of_pass, offsets.offset[backwards ? 15 - round : round]);
        lane_feistel(right, left, of_pass, offsets.offset[backwards ? 14 - round : round + 1]);
      }
      GpuDes::swap_halves(left, right);
    }
  }
};

}  // namespace
}  // namespace phalanx

// Batches of DES, double DES and triple DES on a GPU: a thread crypts 32 messages, a block of each at a time, bitsliced. With a
// key for each message the round keys are planes too, and the key schedule is only the choice of a plane.
#pragma once

#include "ciphers/mode.hpp"
#include "engines/cuda/gpu_des.hpp"
#include "engines/cuda/gpu_range.hpp"

namespace phalanx {
namespace {

/// The planes of a thread's 32 keys: bit n (from 0, FIPS 46-3's bit n + 1) of pass p's keys is word[(64 p + n) * stride]. Stride is
/// the number of threads that share the memory, so that neighbouring threads have neighbouring words.
template <unsigned stride>
struct GpuDesKeyPlanes {
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
template <unsigned stride>
struct GpuDesPlaneOffsets {
  std::uint32_t offset[16][48];
};
template <unsigned stride>
constexpr GpuDesPlaneOffsets<stride> make_plane_offsets() {
  GpuDesPlaneOffsets<stride> offsets{};
  for (unsigned round = 0; round < 16; ++round) {
    for (unsigned i = 0; i < 48; ++i) offsets.offset[round][i] = round_key_bits.key_bit[round][i] * 4 * stride;
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
template <unsigned stride>
struct GpuDesLaneKeys {
  GpuDesKeyPlanes<stride> planes;
  const GpuDesPlaneOffsets<stride>& offsets;
  unsigned num_passes;
  Direction direction;

  PHALANX_INLINE void crypt_planes(GpuWord left[32], GpuWord right[32]) const {
    PHALANX_NO_UNROLL
    for (unsigned step = 0; step < num_passes; ++step) {
      const bool encrypts = direction == Direction::encrypt;
      const unsigned pass = encrypts ? step : num_passes - 1 - step;
      const bool backwards = encrypts == pass_decrypts(num_passes, pass);
      const auto* const of_pass = reinterpret_cast<const std::uint8_t*>(planes.word + 64 * pass * stride);
      PHALANX_NO_UNROLL
      for (unsigned round = 0; round < 16; round += 2) {
        lane_feistel(left, right, of_pass, offsets.offset[backwards ? 15 - round : round]);
        lane_feistel(right, left, of_pass, offsets.offset[backwards ? 14 - round : round + 1]);
      }
      GpuDes::swap_halves(left, right);
    }
  }
};

/// One block of a message on its way through a mode (SP 800-38A section 6). The chaining state stays in memory.
struct GpuDesStep {
  Mode mode;
  Direction direction;

  /// What goes into the cipher.
  PHALANX_INLINE GpuBlock64 before(GpuBlock64 in, GpuBlock64 chain, std::uint64_t block) const {
    if (mode == Mode::ecb) return in;
    if (mode == Mode::ctr) return add(chain, block);
    if (mode != Mode::cbc) return chain;
    return direction == Direction::encrypt ? in ^ chain : in;
  }
  /// What goes out, and the next chaining state.
  PHALANX_INLINE GpuBlock64 after(GpuBlock64 crypted, GpuBlock64 in, GpuBlock64& chain) const {
    const bool encrypts = direction == Direction::encrypt;
    if (mode == Mode::ecb) return crypted;
    if (mode == Mode::cbc && encrypts) return chain = crypted;
    if (mode == Mode::cbc) {
      const GpuBlock64 out = crypted ^ chain;
      chain = in;
      return out;
    }
    const GpuBlock64 out = crypted ^ in;
    if (mode == Mode::cfb) chain = encrypts ? out : in;
    if (mode == Mode::ofb) chain = crypted;
    return out;
  }
  /// The big-endian counter `chain` plus `block`.
  static PHALANX_INLINE GpuBlock64 add(GpuBlock64 chain, std::uint64_t block) {
    const std::uint64_t number =
        (static_cast<std::uint64_t>(reverse_bytes32(chain.word[0])) << 32 | reverse_bytes32(chain.word[1])) + block;
    return counter_block<2>(0, number);
  }
  [[nodiscard]] PHALANX_INLINE bool encrypts_blocks() const {
    return direction == Direction::encrypt || mode == Mode::ctr || mode == Mode::cfb || mode == Mode::ofb;
  }
};

/// Crypts the messages first, first + 32, ... (32 of them) of a batch: what a thread does.
template <class Keys>
PHALANX_INLINE void crypt_des_messages(const GpuBatch& batch, std::uint64_t first, GpuDesStep step, const Keys& keys) {
  std::uint64_t longest = 0;
  PHALANX_NO_UNROLL
  for (unsigned i = 0; i < 32 && first + 32 * i < batch.num_streams; ++i) {
    const std::uint64_t length = batch.streams[first + 32 * i].num_blocks;
    longest = length > longest ? length : longest;
  }
  PHALANX_NO_UNROLL
  for (std::uint64_t block = 0; block < longest; ++block) {
    GpuBlock64 x[32];
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint64_t s = first + 32 * i;
      const bool has = s < batch.num_streams && block < batch.streams[s].num_blocks;
      x[i] = has ? step.before(load_block<2>(batch.streams[s].in, block, true), load_block<2>(batch.ivs, 2 * s, true), block)
                 : GpuBlock64{};
    }
    GpuDes::crypt_blocks(keys, x);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint64_t s = first + 32 * i;
      if (s >= batch.num_streams || block >= batch.streams[s].num_blocks) continue;
      GpuBlock64 chain = load_block<2>(batch.ivs, 2 * s, true);
      const GpuBlock64 out = step.after(x[i], load_block<2>(batch.streams[s].in, block, true), chain);
      store_block<2>(batch.streams[s].out, block, out, true);
      const bool is_last = block + 1 == batch.streams[s].num_blocks;
      if (step.mode == Mode::ctr && is_last) chain = GpuDesStep::add(chain, block + 1);
      if (step.mode != Mode::ctr || is_last) store_block<2>(batch.ivs, 2 * s, chain, true);
    }
  }
}

}  // namespace
}  // namespace phalanx

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

/// A mode (SP 800-38A section 6) without branches: which of the input, the chaining state, what comes out of the cipher and the output
/// are XORed into what goes into it, into the output and into the next state; ~0 or 0 each. CTR's state counts.
struct GpuDesStep {
  Direction cipher_direction;
  std::uint32_t in_to_cipher, chain_to_cipher;
  std::uint32_t in_to_out, chain_to_out;
  std::uint32_t in_to_chain, cipher_to_chain, out_to_chain, chain_stays, counts;

  static constexpr GpuDesStep of(Mode mode, Direction direction) {
    constexpr std::uint32_t yes = ~std::uint32_t{0};
    const bool encrypts = direction == Direction::encrypt;
    GpuDesStep step{};
    step.cipher_direction = mode == Mode::ecb || mode == Mode::cbc ? direction : Direction::encrypt;
    if (mode == Mode::ecb || mode == Mode::cbc) {
      step.in_to_cipher = yes;
    } else {
      step.chain_to_cipher = yes;
      step.in_to_out = yes;
    }
    if (mode == Mode::cbc) (encrypts ? step.chain_to_cipher : step.chain_to_out) = yes;
    if (mode == Mode::cbc || mode == Mode::cfb) (encrypts ? step.out_to_chain : step.in_to_chain) = yes;
    if (mode == Mode::ecb) step.chain_stays = yes;
    if (mode == Mode::ofb) step.cipher_to_chain = yes;
    if (mode == Mode::ctr) step.counts = yes;
    return step;
  }

  PHALANX_INLINE GpuBlock64 before(GpuBlock64 in, GpuBlock64 chain) const {
    return masked(in, in_to_cipher) ^ masked(chain, chain_to_cipher);
  }
  PHALANX_INLINE GpuBlock64 output(GpuBlock64 crypted, GpuBlock64 in, GpuBlock64 chain) const {
    return crypted ^ masked(in, in_to_out) ^ masked(chain, chain_to_out);
  }
  PHALANX_INLINE GpuBlock64 next_chain(GpuBlock64 crypted, GpuBlock64 in, GpuBlock64 out, GpuBlock64 chain) const {
    const std::uint64_t number =
        static_cast<std::uint64_t>(reverse_bytes32(chain.word[0])) << 32 | reverse_bytes32(chain.word[1]);
    return masked(in, in_to_chain) ^ masked(crypted, cipher_to_chain) ^ masked(out, out_to_chain) ^
           masked(chain, chain_stays) ^ masked(counter_block<2>(0, number + 1), counts);
  }

 private:
  static PHALANX_INLINE GpuBlock64 masked(GpuBlock64 x, std::uint32_t mask) {
    return {{x.word[0] & mask, x.word[1] & mask}};
  }
};

/// A thread's messages: first, first + 32, ..., 32 of them. Every load is done whether there is a block or not, so that loads do
/// not wait for one another.
struct GpuDesMessages {
  const GpuBatch& batch;
  std::uint64_t first;

  struct Place {
    const std::uint8_t* in;
    std::uint8_t* out;
    std::uint8_t* chain;
    bool has;
    bool is_last;
  };

  PHALANX_INLINE GpuStream stream(unsigned i) const {
    const std::uint64_t s = first + 32 * i;
    return s < batch.num_streams ? batch.streams[s] : GpuStream{nullptr, nullptr, 0};
  }
  /// Where block `block` of message i is; where there is none, `in` is a chaining state.
  PHALANX_INLINE Place place(unsigned i, std::uint64_t block) const {
    const std::uint64_t s = first + 32 * i;
    const std::uint64_t known = s < batch.num_streams ? s : batch.num_streams - 1;
    const GpuStream stream = batch.streams[known];
    std::uint8_t* const chain = batch.ivs + 16 * known;
    const bool has = s < batch.num_streams && block < stream.num_blocks;
    return {has ? stream.in + 8 * block : chain, stream.out + 8 * block, chain, has, has && block + 1 == stream.num_blocks};
  }
  PHALANX_INLINE std::uint64_t longest() const {
    std::uint64_t most = 0;
    PHALANX_NO_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint64_t length = stream(i).num_blocks;
      most = length > most ? length : most;
    }
    return most;
  }
};

/// Crypts a thread's messages.
template <class Keys>
PHALANX_INLINE void crypt_des_messages(const GpuBatch& batch, std::uint64_t first, GpuDesStep step, const Keys& keys) {
  constexpr unsigned at_a_time = 8;
  const GpuDesMessages messages{batch, first};
  const std::uint64_t longest = messages.longest();
  PHALANX_NO_UNROLL
  for (std::uint64_t block = 0; block < longest; ++block) {
    GpuBlock64 x[32];
    PHALANX_UNROLL
    for (unsigned start = 0; start < 32; start += at_a_time) {
      GpuDesMessages::Place place[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) place[j] = messages.place(start + j, block);
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        x[start + j] = step.before(load_block<2>(place[j].in, 0, true), load_block<2>(place[j].chain, 0, true));
      }
    }
    GpuDes::crypt_blocks(keys, x);
    PHALANX_UNROLL
    for (unsigned start = 0; start < 32; start += at_a_time) {
      GpuDesMessages::Place place[at_a_time];
      GpuBlock64 in[at_a_time];
      GpuBlock64 chain[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) place[j] = messages.place(start + j, block);
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        in[j] = load_block<2>(place[j].in, 0, true);
        chain[j] = load_block<2>(place[j].chain, 0, true);
      }
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        if (!place[j].has) continue;
        const GpuBlock64 out = step.output(x[start + j], in[j], chain[j]);
        store_block<2>(place[j].out, 0, out, true);
        store_block<2>(place[j].chain, 0, step.next_chain(x[start + j], in[j], out, chain[j]), true);
      }
    }
  }
}

/// CBC encryption alone, the mode that needs batches most: what comes out of the cipher is the output and the next chaining state,
/// so a message's blocks and states are read once.
template <class Keys>
PHALANX_INLINE void encrypt_des_chains(const GpuBatch& batch, std::uint64_t first, const Keys& keys) {
  constexpr unsigned at_a_time = 8;
  const GpuDesMessages messages{batch, first};
  const std::uint64_t longest = messages.longest();
  GpuBlock64 x[32];
  PHALANX_UNROLL
  for (unsigned i = 0; i < 32; ++i) x[i] = load_block<2>(messages.place(i, 0).chain, 0, true);
  PHALANX_NO_UNROLL
  for (std::uint64_t block = 0; block < longest; ++block) {
    PHALANX_UNROLL
    for (unsigned start = 0; start < 32; start += at_a_time) {
      const std::uint8_t* in[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) in[j] = messages.place(start + j, block).in;
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) x[start + j] = x[start + j] ^ load_block<2>(in[j], 0, true);
    }
    GpuDes::crypt_blocks(keys, x);
    PHALANX_UNROLL
    for (unsigned start = 0; start < 32; start += at_a_time) {
      GpuDesMessages::Place place[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) place[j] = messages.place(start + j, block);
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        if (place[j].has) store_block<2>(place[j].out, 0, x[start + j], true);
        if (place[j].is_last) store_block<2>(place[j].chain, 0, x[start + j], true);
      }
    }
  }
}

}  // namespace
}  // namespace phalanx

// Batches of DES, double DES and triple DES on a GPU: a thread crypts 32 messages, a block of each at a time, bitsliced.
#pragma once

#include "engine/ciphers/des/gpu_des_lane_keys.hpp"
#include "engine/engines/cuda/kernels/gpu_des_carrier.hpp"
#include "engine/modes/gpu_modes.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {
namespace {

/// A ModeStep without branches: which of the input, the chaining state, what comes out of the cipher and the output
/// are XORed into what goes into it, into the output and into the next state; ~0 or 0 each. CTR's state counts.
struct GpuDesStep {
  Direction cipher_direction;
  std::uint32_t in_to_cipher, chain_to_cipher;
  std::uint32_t in_to_out, chain_to_out;
  std::uint32_t in_to_chain, cipher_to_chain, out_to_chain, chain_stays, counts;

  static constexpr GpuDesStep of(Mode mode, Direction direction) {
    const ModeStep facts = step_of(mode, direction);
    const auto mask = [](bool is_so) { return is_so ? ~std::uint32_t{0} : 0; };
    GpuDesStep step{};
    step.cipher_direction = facts.cipher_direction;
    step.in_to_cipher = mask(facts.takes_input);
    step.chain_to_cipher = mask(facts.takes_chain);
    step.in_to_out = mask(facts.adds_input);
    step.chain_to_out = mask(facts.adds_chain);
    step.in_to_chain = mask(facts.next == ChainUpdate::input);
    step.cipher_to_chain = mask(facts.next == ChainUpdate::crypted);
    step.out_to_chain = mask(facts.next == ChainUpdate::output);
    step.chain_stays = mask(facts.next == ChainUpdate::stays);
    step.counts = mask(facts.next == ChainUpdate::counter);
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

/// Steps of a batch: chains are the states before and after a row of blocks.
struct GpuDesAnyMode {
  GpuDesStep step;

  template <class Keys>
  PHALANX_INLINE void crypt_row(const Keys& keys, std::uint8_t* row, GpuBlock64 chain[32]) const {
    constexpr unsigned at_a_time = 8;
    GpuBlock64 x[32];
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) x[i] = step.before(load_block<2>(row, 32 * i, true), chain[i]);
    GpuDes::crypt_blocks(keys, x);
    PHALANX_UNROLL
    for (unsigned start = 0; start < 32; start += at_a_time) {
      GpuBlock64 in[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) in[j] = load_block<2>(row, 32 * (start + j), true);
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const unsigned i = start + j;
        const GpuBlock64 out = step.output(x[i], in[j], chain[i]);
        store_block<2>(row, 32 * i, out, true);
        chain[i] = step.next_chain(x[i], in[j], out, chain[i]);
      }
    }
  }
};

/// CBC encryption, the mode that needs batches most: what comes out of the cipher is the output and the next chaining state.
struct GpuDesCbcEncryption {
  template <class Keys>
  PHALANX_INLINE void crypt_row(const Keys& keys, std::uint8_t* row, GpuBlock64 chain[32]) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) chain[i] = chain[i] ^ load_block<2>(row, 32 * i, true);
    GpuDes::crypt_blocks(keys, chain);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) store_block<2>(row, 32 * i, chain[i], true);
  }
};

/// Crypts a warp's messages. `anywhere`: the batch has rests.
template <bool anywhere, class Steps, class Keys>
PHALANX_INLINE void crypt_des_messages(const GpuDesMessages& messages, const Steps& steps, const Keys& keys) {
  constexpr unsigned window_blocks = GpuDesMessages::window_blocks;
  const GpuDesMessages::Lengths lengths = messages.lengths<anywhere>();
  if (lengths.most == 0) return;
  const std::uint64_t full_until = lengths.is_plain ? lengths.least : 0;
  GpuBlock64 chain[32];
  messages.load_chains(chain);
  messages.fill_window();
  GpuDesCarrier carrier{messages};
  bool is_brought = false;
  PHALANX_NO_UNROLL
  for (std::uint64_t start = 0;; start += window_blocks) {
    const bool takes_back = start != 0 && start < lengths.most && start <= full_until;
    if (start != 0 && !takes_back) messages.scatter_window<anywhere>(start - window_blocks, lengths);
    if (start >= lengths.most) break;
    if (!is_brought) messages.gather_window<anywhere>(start, lengths);
    is_brought = start + 2 * window_blocks <= full_until;
    carrier.begin(start, takes_back, is_brought);
    PHALANX_NO_UNROLL
    for (unsigned row = 0; row < window_blocks && start + row < lengths.most; ++row) {
      steps.crypt_row(GpuDesCarryingKeys<Keys>{keys, carrier}, messages.own_row(start + row), chain);
      if (start + row + 1 >= lengths.least) messages.store_chains(start + row, chain);
    }
    carrier.finish();
  }
}

}  // namespace
}  // namespace phalanx

// Batches of DES, double DES and triple DES on a GPU: a thread crypts 32 messages, a block of each at a time, bitsliced.
//
// A GPU fetches 32 bytes of its memory at least and likes to fetch more, but a message has 8 for each step of the cipher. So
// a warp first brings a window of blocks of all its messages together, neighbouring messages side by side, crypts block
// after block there, and takes the window back.
#pragma once

#include "ciphers/des/gpu_des_lane_keys.hpp"
#include "modes/gpu_modes.hpp"
#include "modes/mode.hpp"

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
    step.in_to_chain = mask(facts.next == NextChain::input);
    step.cipher_to_chain = mask(facts.next == NextChain::crypted);
    step.out_to_chain = mask(facts.next == NextChain::output);
    step.chain_stays = mask(facts.next == NextChain::stays);
    step.counts = mask(facts.next == NextChain::counter);
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

/// A warp's messages: lane l has l, l + 32, ..., at most 32 of them. On the host the lanes run one after another.
struct GpuDesMessages {
  static constexpr unsigned most_messages = 1024;
  static constexpr unsigned window_blocks = 8;
  static constexpr std::size_t row_bytes = std::size_t{8} * most_messages;
  static constexpr unsigned at_a_time = 16;  ///< loads, so that they do not wait for one another

  const GpuBatch& batch;
  unsigned lane;
  std::uint64_t first;    ///< the warp's
  unsigned num_messages;  ///< that there are, from the first one on
  std::uint8_t* window;

  PHALANX_INLINE GpuDesMessages(const GpuBatch& batch_, unsigned share, std::uint64_t warp, unsigned lane_)
      : batch(batch_), lane(lane_), first(share * warp), num_messages(0) {
    if (first < batch.num_messages) {
      const std::uint64_t left = batch.num_messages - first;
      num_messages = left < share ? static_cast<unsigned>(left) : share;
    }
    window = static_cast<std::uint8_t*>(batch.scratch) + warp * (window_blocks * row_bytes);
  }

  /// A step takes the same time however few of a warp's words' bits are used: so a small batch has more warps, with fewer
  /// messages to fetch each, up to one for each scheduler of a large GPU.
  static PHALANX_INLINE unsigned share_of_warp(std::uint64_t num_messages) {
    constexpr unsigned many_warps = 512;
    unsigned share = most_messages;
    while (share > 32 && num_messages <= std::uint64_t{many_warps} * (share / 2)) share /= 2;
    return share;
  }
  static std::uint64_t num_warps(std::uint64_t num_messages) {
    const unsigned share = share_of_warp(num_messages);
    return (num_messages + share - 1) / share;
  }
  static std::size_t scratch_bytes(std::uint64_t num_messages) {
    return num_warps(num_messages) * (window_blocks * row_bytes);
  }

  PHALANX_INLINE const GpuMessage& message_at(unsigned message) const { return batch.messages[first + message]; }
  PHALANX_INLINE std::uint64_t num_blocks(unsigned message) const {
    return message < num_messages ? message_at(message).num_blocks : 0;
  }
  PHALANX_INLINE unsigned num_rest(unsigned message) const { return batch.rests[first + message]; }
  /// The same with a short block at the end.
  PHALANX_INLINE std::uint64_t num_steps(unsigned message) const {
    return message < num_messages ? message_at(message).num_blocks + (num_rest(message) != 0 ? 1 : 0) : 0;
  }
  /// The chaining state of a message, or of one that there is.
  PHALANX_INLINE std::uint8_t* chain(unsigned message) const {
    return batch.ivs + 16 * (first + (message < num_messages ? message : num_messages - 1));
  }
  /// The lane's message i.
  PHALANX_INLINE unsigned own(unsigned i) const { return lane + 32 * i; }

  /// How many blocks the longest message has, and the shortest; 0 where places have no message.
  struct Lengths {
    std::uint64_t most, least;
    bool is_plain;  ///< all are aligned to a block, and none ends with a short one
  };
  template <bool anywhere>
  PHALANX_INLINE Lengths lengths() const {
    const bool fills_places = num_places() % at_a_time == 0 && num_messages % 32 == 0;
    Lengths of_warp{0, fills_places ? ~std::uint64_t{0} : 0, true};
    PHALANX_NO_UNROLL
    for (unsigned message = lane; message < num_messages; message += 32) {
      const std::uint64_t length = num_blocks(message);
      const std::uint64_t steps = anywhere ? num_steps(message) : length;
      of_warp.most = steps > of_warp.most ? steps : of_warp.most;
      of_warp.least = length < of_warp.least ? length : of_warp.least;
      if constexpr (anywhere) of_warp.is_plain = of_warp.is_plain && is_plain(message);
    }
    const bool is_plain = !anywhere || most_in_warp(of_warp.is_plain ? 0 : 1) == 0;
    return {most_in_warp(of_warp.most), ~most_in_warp(~of_warp.least), is_plain};
  }

  PHALANX_INLINE bool is_plain(unsigned message) const {
    return num_rest(message) == 0 && is_aligned<2>(message_at(message).in) && is_aligned<2>(message_at(message).out);
  }

  /// The window: block after block, each of all messages.
  PHALANX_INLINE std::uint8_t* row(unsigned block) const { return window + row_bytes * block; }

  PHALANX_INLINE std::uint8_t* own_row(unsigned block) const { return row(block) + 8 * lane; }

  /// Rows are crypted whole, without asking for each message: so where there are fewer, the places of the others must hold
  /// something.
  PHALANX_INLINE void fill_window() const {
    if (num_messages == most_messages) return;
    PHALANX_NO_UNROLL
    for (unsigned i = 0; i < 32 * window_blocks; ++i) store_block<2>(own_row(i / 32), i % 32 * 32, GpuBlock64{}, true);
    synchronize_warp();
  }

  /// What a lane carries between messages and window: place k of num_places(). Four messages at a time, so that a warp's
  /// access is of whole sectors in either.
  struct Place {
    unsigned message, block;
  };
  PHALANX_INLINE Place place(unsigned k) const {
#if defined(__CUDA_ARCH__)
    return {32 / window_blocks * k + lane / window_blocks, lane % window_blocks};
#else
    return {lane + 32 * (k / window_blocks), k % window_blocks};
#endif
  }
  PHALANX_INLINE unsigned num_places() const { return (num_messages + 31) / 32 * window_blocks; }

  /// Brings the window that starts with block `start`. `full`: all messages have all its blocks.
  template <bool full>
  PHALANX_INLINE void gather(std::uint64_t start) const {
    PHALANX_NO_UNROLL
    for (unsigned k = 0; k < num_places(); k += at_a_time) {
      const std::uint8_t* from[at_a_time];
      GpuBlock64 x[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const Place at = place(k + j);
        from[j] = has<full>(at, start) ? message_at(at.message).in + 8 * (start + at.block) : chain(at.message);
      }
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) x[j] = load_block<2>(from[j], 0, true);
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const Place at = place(k + j);
        store_block<2>(row(at.block), at.message, x[j], true);
      }
    }
    synchronize_warp();
  }
  /// Takes it back.
  template <bool full>
  PHALANX_INLINE void scatter(std::uint64_t start) const {
    synchronize_warp();
    PHALANX_NO_UNROLL
    for (unsigned k = 0; k < num_places(); k += at_a_time) {
      std::uint8_t* to[at_a_time];
      GpuBlock64 x[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const Place at = place(k + j);
        x[j] = load_block<2>(row(at.block), at.message, true);
        to[j] = has<full>(at, start) ? message_at(at.message).out + 8 * (start + at.block) : nullptr;
      }
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        if (full || to[j] != nullptr) store_block<2>(to[j], 0, x[j], true);
      }
    }
    synchronize_warp();
  }
  template <bool full>
  PHALANX_INLINE bool has(Place at, std::uint64_t start) const {
    return full || start + at.block < num_blocks(at.message);
  }
  /// The same for messages at any address, and with a short block at the end: a place at a time.
  PHALANX_INLINE void gather_any(std::uint64_t start) const {
    PHALANX_NO_UNROLL
    for (unsigned k = 0; k < num_places(); ++k) {
      const Place at = place(k);
      const std::uint64_t block = start + at.block;
      GpuBlock64 x{};
      if (block < num_blocks(at.message)) {
        x = load_block<2>(message_at(at.message).in, block, false);
      } else if (block < num_steps(at.message)) {
        const GpuMessage& message = message_at(at.message);
        std::uint64_t bytes = 0;
        for (unsigned i = 0; i < num_rest(at.message); ++i) bytes |= std::uint64_t{message.in[8 * block + i]} << 8 * i;
        x = {{static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes >> 32)}};
      }
      store_block<2>(row(at.block), at.message, x, true);
    }
    synchronize_warp();
  }
  PHALANX_INLINE void scatter_any(std::uint64_t start) const {
    synchronize_warp();
    PHALANX_NO_UNROLL
    for (unsigned k = 0; k < num_places(); ++k) {
      const Place at = place(k);
      const std::uint64_t block = start + at.block;
      if (block >= num_steps(at.message)) continue;
      const GpuMessage& message = message_at(at.message);
      const GpuBlock64 x = load_block<2>(row(at.block), at.message, true);
      const std::uint64_t bytes = std::uint64_t{x.word[1]} << 32 | x.word[0];
      const unsigned num_bytes = block < message.num_blocks ? 8 : num_rest(at.message);
      for (unsigned i = 0; i < num_bytes; ++i) message.out[8 * block + i] = static_cast<std::uint8_t>(bytes >> 8 * i);
    }
    synchronize_warp();
  }

  PHALANX_INLINE void load_chains(GpuBlock64 x[32]) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) x[i] = load_block<2>(chain(own(i)), 0, true);
  }
  /// The states of the messages of which `block` is the last.
  PHALANX_INLINE void store_chains(std::uint64_t block, const GpuBlock64 x[32]) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      if (num_blocks(own(i)) == block + 1) store_block<2>(chain(own(i)), 0, x[i], true);
    }
  }

 private:
  static PHALANX_INLINE std::uint64_t most_in_warp(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
    for (unsigned distance = 16; distance != 0; distance /= 2) {
      const std::uint64_t other = __shfl_xor_sync(0xffffffffU, x, distance);
      x = other > x ? other : x;
    }
#endif
    return x;
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
  GpuBlock64 chain[32];
  messages.load_chains(chain);
  messages.fill_window();
  PHALANX_NO_UNROLL
  for (std::uint64_t start = 0; start < lengths.most; start += window_blocks) {
    const bool is_full = start + window_blocks <= lengths.least;
    if (anywhere && !lengths.is_plain) {
      messages.gather_any(start);
    } else {
      is_full ? messages.gather<true>(start) : messages.gather<false>(start);
    }
    PHALANX_NO_UNROLL
    for (unsigned row = 0; row < window_blocks && start + row < lengths.most; ++row) {
      steps.crypt_row(keys, messages.own_row(row), chain);
      if (start + row + 1 >= lengths.least) messages.store_chains(start + row, chain);
    }
    if (anywhere && !lengths.is_plain) {
      messages.scatter_any(start);
    } else {
      is_full ? messages.scatter<true>(start) : messages.scatter<false>(start);
    }
  }
}

}  // namespace
}  // namespace phalanx

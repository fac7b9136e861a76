// The messages of a warp that crypts many of them bitsliced, 32 a thread, and the windows through which they come to it.
//
// A GPU fetches 32 bytes of its memory at least and likes to fetch more, but a message has 8 for each step of the cipher. So
// a warp first brings a window of blocks of all its messages together, neighbouring messages side by side, crypts block
// after block there, and takes the window back.
#pragma once

#include "engine/modes/gpu_modes.hpp"

namespace phalanx {
namespace {

/// A warp's messages: lane l has l, l + 32, ..., at most 32 of them. On the host the lanes run one after another.
struct GpuDesMessages {
  static constexpr unsigned most_messages = 1024;
  static constexpr unsigned window_blocks = 8;
  static constexpr std::size_t row_bytes = std::size_t{8} * most_messages;
  static constexpr std::size_t window_bytes = window_blocks * row_bytes;
  static constexpr unsigned at_a_time = 16;  ///< loads, so that they do not wait for one another

  const GpuBatch& batch;
  unsigned lane;
  std::uint64_t first;    ///< the warp's
  unsigned num_messages;  ///< that there are, from the first one on
  std::uint8_t* windows;  ///< two that take turns

  PHALANX_INLINE GpuDesMessages(const GpuBatch& batch_, unsigned share, std::uint64_t warp, unsigned lane_)
      : batch(batch_), lane(lane_), first(share * warp), num_messages(0) {
    if (first < batch.num_messages) {
      const std::uint64_t left = batch.num_messages - first;
      num_messages = left < share ? static_cast<unsigned>(left) : share;
    }
    windows = static_cast<std::uint8_t*>(batch.scratch) + warp * (2 * window_bytes);
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
  static std::size_t scratch_bytes(std::uint64_t num_messages) { return num_warps(num_messages) * (2 * window_bytes); }

  PHALANX_INLINE const GpuMessage& message_at(unsigned message) const { return batch.messages[first + message]; }
  PHALANX_INLINE std::uint64_t num_blocks(unsigned message) const {
    return message < num_messages ? message_at(message).num_blocks : 0;
  }
  PHALANX_INLINE unsigned num_rest(unsigned message) const { return batch.rests[first + message]; }
  /// The same with a short block at the end.
  PHALANX_INLINE std::uint64_t num_steps(unsigned message) const {
    return message < num_messages ? message_at(message).num_blocks + (num_rest(message) != 0 ? 1 : 0) : 0;
  }
  /// The message of that number, or one that there is.
  PHALANX_INLINE unsigned present(unsigned message) const { return message < num_messages ? message : num_messages - 1; }
  PHALANX_INLINE std::uint8_t* chain(unsigned message) const { return batch.ivs + 16 * (first + present(message)); }
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

  /// The row of all messages' blocks of that number.
  PHALANX_INLINE std::uint8_t* row(std::uint64_t block) const {
    return windows + row_bytes * (static_cast<unsigned>(block) % (2 * window_blocks));
  }
  PHALANX_INLINE std::uint8_t* own_row(std::uint64_t block) const { return row(block) + 8 * lane; }

  /// Rows are crypted whole, without asking for each message: so where there are fewer, the places of the others must hold
  /// something.
  PHALANX_INLINE void fill_window() const {
    if (num_messages == most_messages) return;
    PHALANX_NO_UNROLL
    for (unsigned i = 0; i < 32 * 2 * window_blocks; ++i) store_block<2>(own_row(i / 32), i % 32 * 32, GpuBlock64{}, true);
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
        store_block<2>(row(start + at.block), at.message, x[j], true);
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
        x[j] = load_block<2>(row(start + at.block), at.message, true);
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
      store_block<2>(row(block), at.message, x, true);
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
      const GpuBlock64 x = load_block<2>(row(block), at.message, true);
      const std::uint64_t bytes = std::uint64_t{x.word[1]} << 32 | x.word[0];
      const unsigned num_bytes = block < message.num_blocks ? 8 : num_rest(at.message);
      for (unsigned i = 0; i < num_bytes; ++i) message.out[8 * block + i] = static_cast<std::uint8_t>(bytes >> 8 * i);
    }
    synchronize_warp();
  }

  /// Either, by what the window's blocks are.
  template <bool anywhere>
  PHALANX_INLINE void gather_window(std::uint64_t start, const Lengths& lengths) const {
    if (anywhere && !lengths.is_plain) {
      gather_any(start);
    } else {
      start + window_blocks <= lengths.least ? gather<true>(start) : gather<false>(start);
    }
  }
  template <bool anywhere>
  PHALANX_INLINE void scatter_window(std::uint64_t start, const Lengths& lengths) const {
    if (anywhere && !lengths.is_plain) {
      scatter_any(start);
    } else {
      start + window_blocks <= lengths.least ? scatter<true>(start) : scatter<false>(start);
    }
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

}  // namespace
}  // namespace phalanx

// A message of a batch as a thread crypts it (gpu_messages.hpp), at any address and of any length.
#pragma once

#include "engine/modes/device_batches/device_text.hpp"
#include "engine/modes/gpu_messages.hpp"

namespace phalanx {
namespace {

/// Where a message's blocks are.
template <unsigned num_words>
struct GpuMessagePlaces {
  static constexpr unsigned block_bytes = 4 * num_words;
  using Block = GpuBlock<num_words>;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;  ///< whole ones, but for one that takes part in stealing
  bool is_aligned;

  PHALANX_INLINE GpuMessagePlaces(const GpuMessage& message, bool steals)
      : in(message.in),
        out(message.out),
        num_blocks(message.num_blocks - (steals ? 1 : 0)),
        is_aligned(phalanx::is_aligned<num_words>(message.in) && phalanx::is_aligned<num_words>(message.out)) {}

  PHALANX_INLINE Block load_anywhere(std::uint64_t block) const {
    return phalanx::load_anywhere<num_words>(in + block_bytes * block, block != 0 && block + 1 < num_blocks);
  }
  PHALANX_INLINE void store_anywhere(std::uint64_t block, Block x) const {
    phalanx::store_anywhere(out + block_bytes * block, x);
  }
  PHALANX_INLINE Block load(std::uint64_t block) const {
    return is_aligned ? load_block<num_words>(in, block, true) : load_anywhere(block);
  }
  PHALANX_INLINE void store(std::uint64_t block, Block x) const {
    is_aligned ? store_block<num_words>(out, block, x, true) : store_anywhere(block, x);
  }
};

/// The first num_bytes bytes of one block, then those of the other.
template <unsigned num_words>
PHALANX_INLINE GpuBlock<num_words> join_blocks(GpuBlock<num_words> first, GpuBlock<num_words> second, unsigned num_bytes) {
  std::uint32_t mask[num_words] = {};
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4 * num_words; ++i) mask[i / 4] |= (i < num_bytes ? std::uint32_t{0xff} : 0) << i % 4 * 8;
  GpuBlock<num_words> x;
  PHALANX_UNROLL
  for (unsigned i = 0; i < num_words; ++i) x.word[i] = (first.word[i] & mask[i]) | (second.word[i] & ~mask[i]);
  return x;
}

/// Crypts the short block behind a message's whole blocks. In XTS it crypts the last whole block, too, by stealing
/// (IEEE 1619 section 5.3.2, steps 3 and 4). There the chaining state is the tweak of the last whole block.
template <unsigned num_words, class Crypt>
PHALANX_INLINE void crypt_end(const GpuMessagePlaces<num_words>& places, unsigned num_rest,
                              GpuMessageStepsOf<num_words>& steps, Crypt crypt) {
  using Block = GpuBlock<num_words>;
  const bool steals = num_words == 4 && steps.step.next == ChainUpdate::tweak;
  const bool swaps_tweaks = steps.step.cipher_direction == Direction::decrypt;
  const std::uint64_t next = places.num_blocks;
  const std::uint64_t place_of_rest = places.block_bytes * (next + (steals ? 1 : 0));
  const Block rest = load_short<num_words>(places.in + place_of_rest, num_rest);
  const Block tweak = steps.chain;
  Block x = steals ? places.load(next) : rest;
  Block first{};
  PHALANX_NO_UNROLL
  for (unsigned i = 0; i < (steals ? 2U : 1U); ++i) {
    if constexpr (num_words == 4) {
      if (steals) steps.chain = (i != 0) != swaps_tweaks ? times_alpha(tweak, 1) : tweak;
    }
    x = steps.before(x);
    crypt(x);
    x = steps.after(x);
    if (i == 0) {
      first = x;
      x = join_blocks(rest, first, num_rest);
    }
  }
  store_short(places.out + place_of_rest, first, num_rest);
  if (steals) places.store(next, x);
}

/// Crypts a message at any address with num_rest bytes behind its blocks, as GpuBatch::rests has it.
template <unsigned num_words, class Crypt>
PHALANX_INLINE void crypt_message_anywhere(const GpuMessage& message, unsigned num_rest, GpuMessageStepsOf<num_words>& steps,
                                           Crypt crypt) {
  const GpuMessagePlaces<num_words> places(message, num_rest != 0 && steps.step.next == ChainUpdate::tweak);
  crypt_message(places, steps, crypt);
  if (num_rest != 0) crypt_end(places, num_rest, steps, crypt);
}

}  // namespace
}  // namespace phalanx

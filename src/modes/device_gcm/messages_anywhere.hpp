// A message of a batch as a thread crypts it (gpu_messages.hpp), at any address and of any length.
#pragma once

#include "modes/device_gcm/device_text.hpp"
#include "modes/gpu_messages.hpp"

namespace phalanx {
namespace {

/// Where a message's blocks are.
struct GpuMessagePlaces {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;  ///< whole ones, but for one that takes part in stealing
  bool is_aligned;

  PHALANX_INLINE GpuMessagePlaces(const GpuMessage& message, bool steals)
      : in(message.in),
        out(message.out),
        num_blocks(message.num_blocks - (steals ? 1 : 0)),
        is_aligned(phalanx::is_aligned<4>(message.in) && phalanx::is_aligned<4>(message.out)) {}

  PHALANX_INLINE GpuBlock128 load_anywhere(std::uint64_t block) const {
    return phalanx::load_anywhere(in + 16 * block, block != 0 && block + 1 < num_blocks);
  }
  PHALANX_INLINE void store_anywhere(std::uint64_t block, GpuBlock128 x) const {
    phalanx::store_anywhere(out + 16 * block, x);
  }
  PHALANX_INLINE GpuBlock128 load(std::uint64_t block) const {
    return is_aligned ? load_block<4>(in, block, true) : load_anywhere(block);
  }
  PHALANX_INLINE void store(std::uint64_t block, GpuBlock128 x) const {
    is_aligned ? store_block<4>(out, block, x, true) : store_anywhere(block, x);
  }
};

/// The first num_bytes bytes of one block, then those of the other.
PHALANX_INLINE GpuBlock128 join_blocks(GpuBlock128 first, GpuBlock128 second, unsigned num_bytes) {
  std::uint32_t mask[4] = {};
  PHALANX_UNROLL
  for (unsigned i = 0; i < 16; ++i) mask[i / 4] |= (i < num_bytes ? std::uint32_t{0xff} : 0) << i % 4 * 8;
  GpuBlock128 x;
  PHALANX_UNROLL
  for (unsigned i = 0; i < 4; ++i) x.word[i] = (first.word[i] & mask[i]) | (second.word[i] & ~mask[i]);
  return x;
}

/// What a message has behind its whole blocks: a short one; in XTS that and the last whole one, by stealing (IEEE 1619
/// section 5.3.2, steps 3 and 4), for which the chaining state is the tweak of the latter.
template <class Crypt>
PHALANX_INLINE void crypt_end(const GpuMessagePlaces& places, unsigned num_rest, GpuMessageSteps& steps, Crypt crypt) {
  const bool steals = steps.step.next == NextChain::tweak;
  const bool swaps_tweaks = steps.step.cipher_direction == Direction::decrypt;
  const std::uint64_t next = places.num_blocks;
  const std::uint64_t place_of_rest = 16 * (next + (steals ? 1 : 0));
  const GpuBlock128 rest = load_short(places.in + place_of_rest, num_rest);
  const GpuBlock128 tweak = steps.chain;
  GpuBlock128 x = steals ? places.load(next) : rest;
  GpuBlock128 first{};
  PHALANX_NO_UNROLL
  for (unsigned i = 0; i < (steals ? 2U : 1U); ++i) {
    if (steals) steps.chain = (i != 0) != swaps_tweaks ? times_alpha(tweak, 1) : tweak;
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

/// The same at any address and with num_rest bytes behind its blocks, as GpuBatch::rests has it.
template <class Crypt>
PHALANX_INLINE void crypt_message_anywhere(const GpuMessage& message, unsigned num_rest, GpuMessageSteps& steps,
                                           Crypt crypt) {
  const GpuMessagePlaces places(message, num_rest != 0 && steps.step.next == NextChain::tweak);
  crypt_message(places, steps, crypt);
  if (num_rest != 0) crypt_end(places, num_rest, steps, crypt);
}

}  // namespace
}  // namespace phalanx

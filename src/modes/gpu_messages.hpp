// Batches over cores that have one block a thread: a thread crypts one message after another, block by block, in any mode.
// This is what makes CBC, CFB and OFB encryption parallel, and it lets every message bring its own key.
#pragma once

#include <type_traits>

#include "modes/device_gcm/device_text.hpp"
#include "modes/gpu_modes.hpp"
#include "modes/mode.hpp"

namespace phalanx {
namespace {

/// One message's blocks on their way through a mode: a block `in` goes into the cipher as before(in), and what comes out is
/// made the output by after().
struct GpuMessageSteps {
  ModeStep step;
  GpuBlock128 chain;  ///< the chaining state, as KeyedCipher::crypt_range has it
  GpuBlock128 mask;

  PHALANX_INLINE GpuBlock128 before(GpuBlock128 in) {
    GpuBlock128 x = step.takes_input ? in : chain;
    if (step.takes_input && step.takes_chain) x = in ^ chain;
    mask = step.adds_input ? in : step.adds_chain ? chain : GpuBlock128{};
    if (step.next == NextChain::input) chain = in;
    if (step.next == NextChain::counter) chain = next_counter(chain);
    if (step.next == NextChain::tweak) chain = times_alpha(chain, 1);
    return x;
  }
  PHALANX_INLINE GpuBlock128 after(GpuBlock128 crypted) {
    const GpuBlock128 out = crypted ^ mask;
    if (step.next == NextChain::output) chain = out;
    if (step.next == NextChain::crypted) chain = crypted;
    return out;
  }

 private:
  /// SP 800-38A appendix B.1 with m = b.
  static PHALANX_INLINE GpuBlock128 next_counter(GpuBlock128 counter) {
    PHALANX_UNROLL
    for (unsigned i = 4, carry = 1; i-- != 0;) {
      const std::uint32_t word = reverse_bytes32(counter.word[i]) + carry;
      carry &= word == 0 ? 1 : 0;
      counter.word[i] = reverse_bytes32(word);
    }
    return counter;
  }
};

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

/// Two blocks of a message: 32 bytes are what a GPU reads from its memory at least, and what is left of them for later may
/// not stay in the cache, where every thread has a message of its own.
struct GpuBlockPair {
  GpuBlock128 block[2];

  /// Places is GpuMessagePlaces, or a GpuMessage that is aligned.
  template <class Places>
  static PHALANX_INLINE GpuBlockPair load(const Places& places, std::uint64_t first) {
    GpuBlockPair pair = {};
    if (is_aligned(places)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        if (first + i < places.num_blocks) pair.block[i] = load_block<4>(places.in, first + i, true);
      }
    } else if constexpr (std::is_same_v<Places, GpuMessagePlaces>) {
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < 2 && first + i < places.num_blocks; ++i) {
        const GpuBlock128 x = places.load_anywhere(first + i);
        (i == 0 ? pair.block[0] : pair.block[1]) = x;
      }
    }
    return pair;
  }
  template <class Places>
  PHALANX_INLINE void store(const Places& places, std::uint64_t first) const {
    if (is_aligned(places)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        if (first + i < places.num_blocks) store_block<4>(places.out, first + i, block[i], true);
      }
    } else if constexpr (std::is_same_v<Places, GpuMessagePlaces>) {
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < 2 && first + i < places.num_blocks; ++i) {
        places.store_anywhere(first + i, i == 0 ? block[0] : block[1]);
      }
    }
  }

 private:
  static PHALANX_INLINE bool is_aligned(const GpuMessage& /*message*/) { return true; }
  static PHALANX_INLINE bool is_aligned(const GpuMessagePlaces& places) { return places.is_aligned; }
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

/// One message, aligned to a block, from its chaining state to the one after it. `crypt` is the block cipher in place; both
/// are of one thread.
template <class Message, class Crypt>
PHALANX_INLINE void crypt_message(const Message& message, GpuMessageSteps& steps, Crypt crypt) {
  GpuBlockPair next = GpuBlockPair::load(message, 0);
  for (std::uint64_t first = 0; first < message.num_blocks; first += 2) {
    GpuBlockPair pair = next;
    next = GpuBlockPair::load(message, first + 2);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (first + i == message.num_blocks) break;
      GpuBlock128 x = steps.before(pair.block[i]);
      crypt(x);
      pair.block[i] = steps.after(x);
    }
    pair.store(message, first);
  }
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

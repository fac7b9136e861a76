// Batches over cores that have one block a thread: a thread crypts one message after another, block by block, in any mode.
// This is what makes CBC, CFB and OFB encryption parallel, and it lets every message bring its own key.
#pragma once

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

/// Two blocks of a message: 32 bytes are what a GPU reads from its memory at least, and what is left of them for later may
/// not stay in the cache, where every thread has a message of its own.
struct GpuBlockPair {
  GpuBlock128 block[2];

  /// Places is a GpuMessage that is aligned, or GpuMessagePlaces of messages_anywhere.hpp.
  template <class Places>
  static PHALANX_INLINE GpuBlockPair load(const Places& places, std::uint64_t first) {
    GpuBlockPair pair = {};
    if (is_aligned(places)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        if (first + i < places.num_blocks) pair.block[i] = load_block<4>(places.in, first + i, true);
      }
    } else if constexpr (requires { places.load_anywhere(first); }) {
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
    } else if constexpr (requires { places.load_anywhere(first); }) {
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < 2 && first + i < places.num_blocks; ++i) {
        places.store_anywhere(first + i, i == 0 ? block[0] : block[1]);
      }
    }
  }

 private:
  template <class Places>
  static PHALANX_INLINE bool is_aligned([[maybe_unused]] const Places& places) {
    if constexpr (requires { places.is_aligned; }) {
      return places.is_aligned;
    } else {
      return true;
    }
  }
};

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

}  // namespace
}  // namespace phalanx

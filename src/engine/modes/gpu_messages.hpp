// Batches over cores that have one block a thread: a thread crypts one message after another, block by block, in any mode.
// This is what makes CBC, CFB and OFB encryption parallel, and it lets every message bring its own key.
#pragma once

#include "engine/modes/gpu_modes.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {
namespace {

/// One message's blocks on their way through a mode: a block `in` goes into the cipher as before(in), and what comes out is
/// made the output by after().
template <unsigned num_words>
struct GpuMessageStepsOf {
  using Block = GpuBlock<num_words>;
  ModeStep step;
  Block chain;  ///< the chaining state, as KeyedCipher::crypt_range has it
  Block mask;

  PHALANX_INLINE Block before(Block in) {
    Block x = step.takes_input ? in : chain;
    if (step.takes_input && step.takes_chain) x = in ^ chain;
    mask = step.adds_input ? in : step.adds_chain ? chain : Block{};
    if (step.next == ChainUpdate::input) chain = in;
    if (step.next == ChainUpdate::counter) chain = next_counter(chain);
    if constexpr (num_words == 4) {
      if (step.next == ChainUpdate::tweak) chain = times_alpha(chain, 1);
    }
    return x;
  }
  PHALANX_INLINE Block after(Block crypted) {
    const Block out = crypted ^ mask;
    if (step.next == ChainUpdate::output) chain = out;
    if (step.next == ChainUpdate::crypted) chain = crypted;
    return out;
  }

 private:
  /// Counts by SP 800-38A appendix B.1 with m = b.
  static PHALANX_INLINE Block next_counter(Block counter) {
    PHALANX_UNROLL
    for (unsigned i = num_words, carry = 1; i-- != 0;) {
      const std::uint32_t word = reverse_bytes32(counter.word[i]) + carry;
      carry &= word == 0 ? 1 : 0;
      counter.word[i] = reverse_bytes32(word);
    }
    return counter;
  }
};

using GpuMessageSteps = GpuMessageStepsOf<4>;

/// These blocks of a message are read at once, since a GPU reads 32 bytes from its memory at least. Blocks that are
/// left for later may not stay in the cache, where every thread has a message of its own.
template <unsigned num_words>
struct GpuBlockGroup {
  static constexpr unsigned num_blocks = 8 / num_words;
  using Block = GpuBlock<num_words>;
  Block block[num_blocks];

  /// Places is a GpuMessage that is aligned, or GpuMessagePlaces of messages_anywhere.hpp.
  template <class Places>
  static PHALANX_INLINE GpuBlockGroup load(const Places& places, std::uint64_t first) {
    GpuBlockGroup group = {};
    if (is_of_pairs(places.in, places, first)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < num_blocks; i += 2) {
        const GpuBlock128 x = load_block<4>(places.in, (first + i) / 2, true);
        group.block[i] = {{x.word[0], x.word[1]}};
        group.block[i + 1] = {{x.word[2], x.word[3]}};
      }
    } else if (is_aligned(places)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < num_blocks; ++i) {
        if (first + i < places.num_blocks) group.block[i] = load_block<num_words>(places.in, first + i, true);
      }
    } else if constexpr (requires { places.load_anywhere(first); }) {
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < num_blocks && first + i < places.num_blocks; ++i) {
        const Block x = places.load_anywhere(first + i);
        PHALANX_UNROLL
        for (unsigned j = 0; j < num_blocks; ++j) group.block[j] = i == j ? x : group.block[j];
      }
    }
    return group;
  }
  template <class Places>
  PHALANX_INLINE void store(const Places& places, std::uint64_t first) const {
    if (is_of_pairs(places.out, places, first)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < num_blocks; i += 2) {
        const GpuBlock128 x = {{block[i].word[0], block[i].word[1], block[i + 1].word[0], block[i + 1].word[1]}};
        store_block<4>(places.out, (first + i) / 2, x, true);
      }
    } else if (is_aligned(places)) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < num_blocks; ++i) {
        if (first + i < places.num_blocks) store_block<num_words>(places.out, first + i, block[i], true);
      }
    } else if constexpr (requires { places.load_anywhere(first); }) {
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < num_blocks && first + i < places.num_blocks; ++i) {
        Block x = block[0];
        PHALANX_UNROLL
        for (unsigned j = 1; j < num_blocks; ++j) x = i == j ? block[j] : x;
        places.store_anywhere(first + i, x);
      }
    }
  }

 private:
  /// Returns whether all blocks are there, and blocks of 8 bytes lie so that two of them are one access.
  template <class Places>
  static PHALANX_INLINE bool is_of_pairs([[maybe_unused]] const std::uint8_t* memory, [[maybe_unused]] const Places& places,
                                         [[maybe_unused]] std::uint64_t first) {
    if constexpr (num_words == 2) {
      return phalanx::is_aligned<4>(memory) && first + num_blocks <= places.num_blocks;
    } else {
      return false;
    }
  }
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
template <unsigned num_words, class Message, class Crypt>
PHALANX_INLINE void crypt_message(const Message& message, GpuMessageStepsOf<num_words>& steps, Crypt crypt) {
  using Group = GpuBlockGroup<num_words>;
  Group next = Group::load(message, 0);
  for (std::uint64_t first = 0; first < message.num_blocks; first += Group::num_blocks) {
    Group group = next;
    next = Group::load(message, first + Group::num_blocks);
    const auto crypt_block = [&](GpuBlock<num_words> x) {
      x = steps.before(x);
      crypt(x);
      return steps.after(x);
    };
    if constexpr (Group::num_blocks == 2) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < 2; ++i) {
        if (first + i == message.num_blocks) break;
        group.block[i] = crypt_block(group.block[i]);
      }
    } else {  // the cipher's code only once: the blocks pass by
      PHALANX_NO_UNROLL
      for (unsigned i = 0; i < Group::num_blocks; ++i) {
        GpuBlock<num_words> x = group.block[0];
        if (first + i < message.num_blocks) x = crypt_block(x);
        PHALANX_UNROLL
        for (unsigned j = 0; j + 1 < Group::num_blocks; ++j) group.block[j] = group.block[j + 1];
        group.block[Group::num_blocks - 1] = x;
      }
    }
    group.store(message, first);
  }
}

}  // namespace
}  // namespace phalanx

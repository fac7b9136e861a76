// Batches over cores that have one block a thread: a thread crypts one message after another, block by block, in any mode. This is
// what makes CBC, CFB and OFB encryption parallel, and it lets every message bring its own key.
#pragma once

#include "ciphers/mode.hpp"
#include "engines/cuda/gpu_modes.hpp"

namespace phalanx {
namespace {

/// One message's blocks on their way through a mode: a block `in` goes into the cipher as before(in), and what comes out is
/// made the output by after().
struct GpuMessageSteps {
  Mode mode;
  Direction direction;
  GpuBlock128 chain;  ///< the chaining state, as KeyedCipher::crypt_range has it
  GpuBlock128 mask;

  PHALANX_INLINE GpuBlock128 before(GpuBlock128 in) {
    const GpuBlock128 now = chain;
    const bool encrypts = direction == Direction::encrypt;
    mask = in;
    switch (mode) {
      case Mode::ctr:
        chain = next_counter(now);
        return now;
      case Mode::cfb:
        if (!encrypts) chain = in;
        return now;
      case Mode::ofb:
        return now;
      case Mode::xts:
        chain = times_alpha(now, 1);
        mask = now;
        return in ^ now;
      case Mode::cbc:
        mask = encrypts ? GpuBlock128{} : now;
        if (!encrypts) chain = in;
        return encrypts ? in ^ now : in;
      default:  // ECB; GCM is no range mode
        mask = GpuBlock128{};
        return in;
    }
  }
  PHALANX_INLINE GpuBlock128 after(GpuBlock128 crypted) {
    const GpuBlock128 out = crypted ^ mask;
    if (direction == Direction::encrypt && (mode == Mode::cbc || mode == Mode::cfb)) chain = out;
    if (mode == Mode::ofb) chain = crypted;
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

/// Two blocks of a message: 32 bytes are what a GPU reads from its memory at least, and what is left of them for later may not
/// stay in the cache, where every thread has a message of its own.
struct GpuBlockPair {
  GpuBlock128 block[2];

  static PHALANX_INLINE GpuBlockPair load(const GpuStream& stream, std::uint64_t first) {
    GpuBlockPair pair = {};
    PHALANX_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (first + i < stream.num_blocks) pair.block[i] = load_block<4>(stream.in, first + i, true);
    }
    return pair;
  }
  PHALANX_INLINE void store(const GpuStream& stream, std::uint64_t first) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (first + i < stream.num_blocks) store_block<4>(stream.out, first + i, block[i], true);
    }
  }
};

/// One message, from its chaining state to the one after it. `crypt` is the block cipher in place; both are of one thread.
template <class Crypt>
PHALANX_INLINE void crypt_message(const GpuStream& stream, GpuMessageSteps& steps, Crypt crypt) {
  GpuBlockPair next = GpuBlockPair::load(stream, 0);
  for (std::uint64_t first = 0; first < stream.num_blocks; first += 2) {
    GpuBlockPair pair = next;
    next = GpuBlockPair::load(stream, first + 2);
    PHALANX_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      if (first + i == stream.num_blocks) break;
      GpuBlock128 x = steps.before(pair.block[i]);
      crypt(x);
      pair.block[i] = steps.after(x);
    }
    pair.store(stream, first);
  }
}

/// The expanded keys of a batch, as vectors of four words: vector i of all streams, then vector i + 1 of all, so that neighbouring
/// threads load neighbouring vectors. This is one stream's.
struct GpuStreamKeys {
  std::uint8_t* vectors;
  std::uint64_t num_streams;
  std::uint64_t stream;

  struct Vector {
    GpuBlock128 words;
    PHALANX_INLINE std::uint32_t operator[](unsigned i) const { return words.word[i]; }
  };
  PHALANX_INLINE Vector operator[](unsigned i) const { return {load_block<4>(vectors, i * num_streams + stream, true)}; }
  PHALANX_INLINE void store(unsigned i, const std::uint32_t words[4]) const {
    store_block<4>(vectors, i * num_streams + stream, {{words[0], words[1], words[2], words[3]}}, true);
  }
};

}  // namespace
}  // namespace phalanx

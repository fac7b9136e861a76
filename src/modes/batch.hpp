// Every mode once more, block by block, for batches: each lane holds one block of another message, or of the same message
// further on. A step prepares what the cipher sees (before), the engine crypts all lanes in ECB, and the step finishes the
// block and the message's chaining state (after). range_modes.hpp has the same modes over one message.
#pragma once

#include "ciphers/direction.hpp"
#include "ciphers/mode.hpp"
#include "lanes/word_scalar.hpp"

namespace phalanx {
namespace {

/// The counter block after this one (SP 800-38A appendix B.1, m = b).
inline Word64 next_counter(Word64 counter) { return {reverse_bytes(reverse_bytes(counter.bits) + 1)}; }
inline Block128 next_counter(Block128 counter) {
  const std::uint64_t low = reverse_bytes(counter.half[1]) + 1;
  return {{reverse_bytes(reverse_bytes(counter.half[0]) + (low == 0 ? 1 : 0)), reverse_bytes(low)}};
}
inline Word64 next_tweak(Word64 tweak) { return tweak; }  // XTS has 128-bit blocks only
inline Block128 next_tweak(Block128 tweak) { return Block128::next_tweaks(tweak); }

/// Which way the block cipher itself runs.
constexpr Direction cipher_direction(Mode mode, Direction direction) {
  return mode == Mode::ctr || mode == Mode::cfb || mode == Mode::ofb ? Direction::encrypt : direction;
}

template <Mode mode, Direction direction, class Block>
struct BlockStep {
  static constexpr bool encrypts = direction == Direction::encrypt;

  /// What the cipher is to crypt for the message's next block `in`; sets `mask`, which is XORed to what comes out.
  static Block before(Block& chain, Block in, Block& mask) {
    const Block previous = chain;
    if constexpr (mode == Mode::ctr) chain = next_counter(chain);
    if constexpr (mode == Mode::xts) chain = next_tweak(chain);
    if constexpr (!encrypts && (mode == Mode::cbc || mode == Mode::cfb)) chain = in;

    if constexpr (mode == Mode::ctr || mode == Mode::cfb || mode == Mode::ofb) {
      mask = in;
      return previous;
    } else if constexpr (mode == Mode::xts) {
      mask = previous;
      return in ^ previous;
    } else if constexpr (mode == Mode::cbc && encrypts) {
      mask = in ^ in;
      return in ^ previous;
    } else {
      mask = mode == Mode::cbc ? previous : in ^ in;  // CBC decryption, ECB
      return in;
    }
  }

  /// The message's output block, from what the cipher made; the serial modes take their next chaining state from it.
  static Block after(Block& chain, Block crypted, Block mask) {
    const Block out = crypted ^ mask;
    if constexpr (encrypts && (mode == Mode::cbc || mode == Mode::cfb)) chain = out;
    if constexpr (mode == Mode::ofb) chain = crypted;
    return out;
  }
};

/// Calls run.template operator()<mode, direction>() for the mode and direction that are given at run time.
template <class Run>
void with_mode(Mode mode, Direction direction, const Run& run) {
  const auto with_direction = [&]<Mode constant>() {
    if (direction == Direction::encrypt) {
      run.template operator()<constant, Direction::encrypt>();
    } else {
      run.template operator()<constant, Direction::decrypt>();
    }
  };
  switch (mode) {
    case Mode::ecb:
      return with_direction.template operator()<Mode::ecb>();
    case Mode::cbc:
      return with_direction.template operator()<Mode::cbc>();
    case Mode::ctr:
      return with_direction.template operator()<Mode::ctr>();
    case Mode::cfb:
      return with_direction.template operator()<Mode::cfb>();
    case Mode::ofb:
      return with_direction.template operator()<Mode::ofb>();
    case Mode::xts:
      return with_direction.template operator()<Mode::xts>();
    case Mode::gcm:
      return;  // not a range mode
  }
}

}  // namespace
}  // namespace phalanx

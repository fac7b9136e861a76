// The modes of operation: SP 800-38A (ECB, CBC, CFB, OFB, CTR), SP 800-38E and IEEE 1619 (XTS), SP 800-38D (GCM); and what
// each does with one block. Lanes, packed messages, GPUs and DES batches take their steps from here.
#pragma once

#include "engine/ciphers/direction.hpp"

namespace phalanx {

enum class Mode : unsigned char { ecb, cbc, ctr, cfb, ofb, xts, gcm };

/// The modes that a kernel runs over a range of blocks: those before GCM, which is CTR and GHASH put together above them.
inline constexpr unsigned num_range_modes = static_cast<unsigned>(Mode::gcm);

/// By these the chaining state follows from one block to the next.
enum class ChainUpdate : unsigned char { stays, input, output, crypted, counter, tweak };

/// A mode does this with one block, given the chaining state C before it:
///
///   X = E(the input and C, added, each if it is to be taken)     or D, by cipher_direction
///   output = X and the input and C, added, each if it is to be added
///   C = what `next` says: as it was, the input, the output, X, or C as a counter plus 1 (SP 800-38A appendix B.1 with m the
///       whole block), or C times alpha (IEEE 1619 section 5.2)
struct ModeStep {
  bool takes_input;
  bool takes_chain;
  bool adds_input;
  bool adds_chain;
  ChainUpdate next;
  Direction cipher_direction;

  /// Returns whether a block needs the result of the one before. Then a message cannot be cut, and only many of them
  /// fill the lanes.
  [[nodiscard]] constexpr bool is_serial() const { return next == ChainUpdate::output || next == ChainUpdate::crypted; }
  [[nodiscard]] constexpr bool has_chain() const { return next != ChainUpdate::stays; }
};

/// Returns the step of a mode. GCM has that of CTR here.
constexpr ModeStep step_of(Mode mode, Direction direction) {
  constexpr Direction encrypt = Direction::encrypt;
  const bool encrypts = direction == encrypt;
  switch (mode) {
    case Mode::cbc:  // SP 800-38A section 6.2
      if (encrypts) return {true, true, false, false, ChainUpdate::output, encrypt};
      return {true, false, false, true, ChainUpdate::input, Direction::decrypt};
    case Mode::cfb:  // section 6.3, with s = b
      return {false, true, true, false, encrypts ? ChainUpdate::output : ChainUpdate::input, encrypt};
    case Mode::ofb:  // section 6.4
      return {false, true, true, false, ChainUpdate::crypted, encrypt};
    case Mode::ctr:  // section 6.5
    case Mode::gcm:
      return {false, true, true, false, ChainUpdate::counter, encrypt};
    case Mode::xts:  // IEEE 1619 section 5.3.1; C begins as the tweak, encrypted
      return {true, true, false, true, ChainUpdate::tweak, direction};
    case Mode::ecb:  // SP 800-38A section 6.1
      break;         // without `default`, the compiler warns of a mode that has no step
  }
  return {true, false, false, false, ChainUpdate::stays, direction};
}

}  // namespace phalanx

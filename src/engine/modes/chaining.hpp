// The chaining state at any block of a message: what lets a message be cut into ranges that run at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ciphers/direction.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {

using ChainBlock = std::array<std::uint8_t, 16>;  // a 64-bit block uses the first half

/// Returns true where a range needs only its own input and the chaining state before it. Then a message may be cut
/// anywhere. CBC and CFB encryption, and OFB, return false.
constexpr bool is_divisible(Mode mode, Direction direction) { return !step_of(mode, direction).is_serial(); }

/// SP 800-38A appendix B.1 with m the whole block: the big-endian counter after num_blocks more, wrapping at its width.
void advance_counter(std::uint8_t* counter, std::size_t block_bytes, std::uint64_t num_blocks);

/// An element of GF(2^128) as IEEE 1619 section 5.2 writes it: bit i is the coefficient of x^i.
struct FieldElement {
  std::uint64_t low;
  std::uint64_t high;
};

/// Returns alpha^exponent, where alpha is x. The exponent is public.
FieldElement power_of_alpha(std::uint64_t exponent);

/// tweak = tweak * factor, in constant time. `tweak` is 16 bytes.
void multiply_tweak(std::uint8_t* tweak, FieldElement factor);

/// The chaining state of CTR or XTS, which follow from the iv alone, num_blocks further on.
void advance_chain(Mode mode, std::size_t block_bytes, std::uint8_t* state, std::uint64_t num_blocks);

/// element = element * element in GHASH's notation of the same field (SP 800-38D section 6.3): the first bit is the
/// coefficient of x^0. `element` is 16 bytes.
void square_hash_element(std::uint8_t* element);

/// The chaining states before block 0, step_blocks, 2 * step_blocks ... and after the last of num_blocks blocks, of a
/// divisible mode: taken before any of them is crypted in place. `iv` is the state before the first.
std::vector<ChainBlock> chain_at_steps(Mode mode, std::size_t block_bytes, const std::uint8_t* iv, const std::uint8_t* in,
                                       std::size_t num_blocks, std::size_t step_blocks);

}  // namespace phalanx

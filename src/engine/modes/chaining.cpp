#include "engine/modes/chaining.hpp"

#include <algorithm>
#include <cstring>

#include "engine/lanes/word_scalar.hpp"

namespace phalanx {
namespace {

// x * alpha.
FieldElement times_alpha(FieldElement x) {
  const Block128 product = next_tweaks(Block128{{x.low, x.high}});
  return {product.half[0], product.half[1]};
}

// Puts a zero above each bit of a 32-bit number, which makes its square as a polynomial over GF(2).
std::uint64_t square32(std::uint64_t x) {
  x = (x | x << 16) & 0x0000ffff0000ffffU;
  x = (x | x << 8) & 0x00ff00ff00ff00ffU;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fU;
  x = (x | x << 2) & 0x3333333333333333U;
  return (x | x << 1) & 0x5555555555555555U;
}

FieldElement square(FieldElement x) {
  std::uint64_t word[4] = {square32(x.low & 0xffffffff), square32(x.low >> 32), square32(x.high & 0xffffffff),
                           square32(x.high >> 32)};
  for (const int i : {3, 2}) {  // word i stands for x^(64 i), and x^128 = x^7 + x^2 + x + 1
    word[i - 1] ^= word[i] >> 57 ^ word[i] >> 62 ^ word[i] >> 63;
    word[i - 2] ^= word[i] ^ word[i] << 1 ^ word[i] << 2 ^ word[i] << 7;
  }
  return {word[0], word[1]};
}

}  // namespace

void advance_counter(std::uint8_t* counter, std::size_t block_bytes, std::uint64_t num_blocks) {
  std::uint8_t* low_half = counter + block_bytes - 8;
  const std::uint64_t low = reverse_bytes(load_u64(low_half)) + num_blocks;
  store_u64(low_half, reverse_bytes(low));
  if (block_bytes == 16) store_u64(counter, reverse_bytes(reverse_bytes(load_u64(counter)) + (low < num_blocks ? 1 : 0)));
}

FieldElement power_of_alpha(std::uint64_t exponent) {
  FieldElement power{1, 0};
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    power = square(power);
    if ((exponent & bit) != 0) power = times_alpha(power);
  }
  return power;
}

void multiply_tweak(std::uint8_t* tweak, FieldElement factor) {
  FieldElement power{load_u64(tweak), load_u64(tweak + 8)};  // tweak * alpha^i
  FieldElement product{0, 0};
  for (const std::uint64_t half : {factor.low, factor.high}) {
    for (int i = 0; i < 64; ++i) {
      const std::uint64_t mask = 0 - (half >> i & 1);
      product.low ^= power.low & mask;
      product.high ^= power.high & mask;
      power = times_alpha(power);
    }
  }
  store_u64(tweak, product.low);
  store_u64(tweak + 8, product.high);
}

void advance_chain(Mode mode, std::size_t block_bytes, std::uint8_t* state, std::uint64_t num_blocks) {
  const ChainUpdate next = step_of(mode, Direction::decrypt).next;
  if (next == ChainUpdate::counter) advance_counter(state, block_bytes, num_blocks);
  if (next == ChainUpdate::tweak) multiply_tweak(state, power_of_alpha(num_blocks));
}

void square_hash_element(std::uint8_t* element) {
  // A bit further right in the block is one higher: with the bits of each byte reversed it is IEEE 1619's notation.
  const FieldElement squared =
      square({reverse_bytes(reverse_bits(load_u64(element))), reverse_bytes(reverse_bits(load_u64(element + 8)))});
  store_u64(element, reverse_bits(reverse_bytes(squared.low)));
  store_u64(element + 8, reverse_bits(reverse_bytes(squared.high)));
}

std::vector<ChainBlock> chain_at_steps(Mode mode, std::size_t block_bytes, const std::uint8_t* iv, const std::uint8_t* in,
                                       std::size_t num_blocks, std::size_t step_blocks) {
  const std::size_t num_steps = (num_blocks + step_blocks - 1) / step_blocks;
  std::vector<ChainBlock> states(num_steps + 1);
  const ModeStep step = step_of(mode, Direction::decrypt);
  if (!step.has_chain()) return states;
  std::memcpy(states[0].data(), iv, block_bytes);
  for (std::size_t i = 1; i <= num_steps; ++i) {
    const std::size_t block = std::min(i * step_blocks, num_blocks);
    if (step.next == ChainUpdate::input) {
      std::memcpy(states[i].data(), in + (block - 1) * block_bytes, block_bytes);
      continue;
    }
    states[i] = states[i - 1];
    advance_chain(mode, block_bytes, states[i].data(), block - (i - 1) * step_blocks);
  }
  return states;
}

}  // namespace phalanx

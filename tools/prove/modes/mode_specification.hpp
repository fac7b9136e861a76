// A step of every mode as SP 800-38A section 6 and IEEE 1619 section 5.3.1 have it, round a block function of which nothing
// is known. Blocks are bytes as in memory, the lowest bit of each first.
#pragma once

#include "engine/modes/mode.hpp"
#include "recorded_integer.hpp"
#include "specifications.hpp"

namespace prove {

using phalanx::Mode;

struct Step {
  Signals input;
  Signals chain;
  Signals crypted;  // what the block function gives
};
struct StepResult {
  Signals taken;  // what the block function is given
  Signals output;
  Signals chain;
};

inline Signals signals_of_step(const StepResult& result) {
  Signals all = result.taken;
  all.insert(all.end(), result.output.begin(), result.output.end());
  all.insert(all.end(), result.chain.begin(), result.chain.end());
  return all;
}

// T times alpha (IEEE 1619 section 5.2): bit i of the bytes, from the lowest bit of the first, is the coefficient of x^i.
inline Signals times_alpha(const Signals& t) {
  Signals product{t[127]};
  product.insert(product.end(), t.begin(), t.end() - 1);
  for (const std::size_t i : {1, 2, 7}) product[i] = graph().xor_of(product[i], t[127]);
  return product;
}

// Bit i of the number that a block is, big-endian, stands here in memory.
inline std::size_t place_of_bit(std::size_t num_bits, std::size_t i) { return num_bits - 8 - i / 8 * 8 + i % 8; }

inline Signals number_of(const Signals& block) {
  Signals number;
  for (std::size_t i = 0; i < block.size(); ++i) number.push_back(block[place_of_bit(block.size(), i)]);
  return number;
}
inline Signals block_of(const Signals& number) {
  Signals block(number.size());
  for (std::size_t i = 0; i < number.size(); ++i) block[place_of_bit(number.size(), i)] = number[i];
  return block;
}
// SP 800-38A appendix B.1, m = b.
inline Signals next_counter(const Signals& block) {
  return block_of(add(number_of(block), Signals(block.size(), zero), one));
}

// SP 800-38A section 6 and IEEE 1619 section 5.3.1, for a block.
inline StepResult specified_step(Mode mode, Direction direction, const Step& step) {
  const auto& [input, chain, crypted] = step;
  const bool encrypts = direction == Direction::encrypt;
  switch (mode) {
    case Mode::cbc:
      if (encrypts) return {xor_of(input, chain), crypted, crypted};
      return {input, xor_of(crypted, chain), input};
    case Mode::cfb:
      return {chain, xor_of(input, crypted), encrypts ? xor_of(input, crypted) : input};
    case Mode::ofb:
      return {chain, xor_of(input, crypted), crypted};
    case Mode::ctr:
      return {chain, xor_of(input, crypted), next_counter(chain)};
    case Mode::xts:
      return {xor_of(input, chain), xor_of(crypted, chain), times_alpha(chain)};
    default:
      return {input, crypted, chain};
  }
}
// CFB, OFB and CTR need only CIPH; the others, when they decrypt, CIPH^-1.
inline bool specified_inverse(Mode mode, Direction direction) {
  return direction == Direction::decrypt && (mode == Mode::ecb || mode == Mode::cbc || mode == Mode::xts);
}

}  // namespace prove

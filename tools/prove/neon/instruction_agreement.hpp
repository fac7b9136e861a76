// Whether recorded instructions are those of the machine, on random numbers.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "outside_cores/recorded_register.hpp"

namespace prove {

/// Instruction `number` of some, on two operands; false if there are fewer.
using InstructionSample = bool (*)(unsigned number, const void* a, const void* b, void* result);

/// One recording of unknown operands of so many bytes, evaluated on 64 pairs of numbers.
template <std::size_t num_bytes>
bool instruction_agrees(InstructionSample recorded, InstructionSample machine, unsigned number) {
  constexpr std::size_t num_bits = 8 * num_bytes;
  graph() = {};
  std::uint8_t unknown[2 * num_bytes];
  write_memory(unknown, graph().inputs(2 * num_bits));
  Register<num_bytes> result;
  recorded(number, unknown, unknown + num_bytes, &result);
  std::mt19937_64 random(number);
  std::vector<std::uint64_t> values(2 * num_bits);
  for (std::uint64_t& value : values) value = random();
  const std::vector<std::uint64_t> results = graph().evaluate(result.bits(), values);
  forget_memory(unknown, sizeof unknown);
  for (unsigned experiment = 0; experiment < 64; ++experiment) {
    std::uint8_t operands[2 * num_bytes] = {};
    std::uint8_t expected[num_bytes];
    std::uint8_t given[num_bytes] = {};
    for (std::size_t i = 0; i < 2 * num_bits; ++i) operands[i / 8] |= (values[i] >> experiment & 1) << (i % 8);
    for (std::size_t i = 0; i < num_bits; ++i) given[i / 8] |= (results[i] >> experiment & 1) << (i % 8);
    machine(number, operands, operands + num_bytes, expected);
    if (std::memcmp(given, expected, num_bytes) != 0) return false;
  }
  return true;
}

/// Counts those that were compared, up to the first that differs.
template <std::size_t num_bytes>
bool instructions_agree(InstructionSample recorded, InstructionSample machine, unsigned& num_compared) {
  std::uint8_t operand[num_bytes] = {};
  std::uint8_t result[num_bytes];
  for (unsigned number = 0; machine(number, operand, operand, result); ++number, ++num_compared) {
    if (!instruction_agrees<num_bytes>(recorded, machine, number)) return false;
  }
  return true;
}

}  // namespace prove

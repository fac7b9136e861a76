// Recorded instructions beside those of the machine, on random numbers.
#define PROVE_SAMPLES_AVX512
#include <cstring>
#include <random>

#include "outside_cores/instruction_samples.hpp"

namespace prove {
namespace {

struct Numbers {
  std::uint8_t bytes[64];  // two operands
};

using Sample = bool (*)(unsigned, const void*, const void*, void*);

// One recording of unknown operands, evaluated on 64 pairs of numbers.
bool agrees(Sample recorded, Sample machine, unsigned number) {
  graph() = {};
  Numbers unknown;
  write_memory(unknown.bytes, graph().inputs(512));
  __m256i result;
  recorded(number, unknown.bytes, unknown.bytes + 32, &result);
  std::mt19937_64 random(number);
  std::vector<std::uint64_t> values(512);
  for (std::uint64_t& value : values) value = random();
  const std::vector<std::uint64_t> results = graph().evaluate(result.bits(), values);
  forget_memory(unknown.bytes, 64);
  for (unsigned experiment = 0; experiment < 64; ++experiment) {
    Numbers operands = {};
    std::uint8_t expected[32];
    std::uint8_t given[32] = {};
    for (std::size_t i = 0; i < 512; ++i) operands.bytes[i / 8] |= (values[i] >> experiment & 1) << (i % 8);
    for (std::size_t i = 0; i < 256; ++i) given[i / 8] |= (results[i] >> experiment & 1) << (i % 8);
    machine(number, operands.bytes, operands.bytes + 32, expected);
    if (std::memcmp(given, expected, 32) != 0) return false;
  }
  return true;
}

bool all_agree(Sample recorded, Sample machine, unsigned& num_compared) {
  std::uint8_t operand[32] = {};
  std::uint8_t result[32];
  for (unsigned number = 0; machine(number, operand, operand, result); ++number, ++num_compared) {
    if (!agrees(recorded, machine, number)) return false;
  }
  return true;
}

}  // namespace

InstructionCheck recorded_instructions_are_real() {
  InstructionCheck check{true, 0};
  check.agree = all_agree(sample, machine_instruction, check.num_compared) &&
                all_agree(sample_aes, machine_aes, check.num_compared) &&
                all_agree(sample_vaes, machine_vaes, check.num_compared) &&
                all_agree(sample_avx512, machine_avx512, check.num_compared);
  return check;
}

}  // namespace prove

// Recorded instructions beside those of the machine, on random numbers.
#define PROVE_SAMPLES_AVX512
#include "neon/instruction_agreement.hpp"
#include "outside_cores/instruction_samples.hpp"

namespace prove {

InstructionCheck recorded_instructions_are_real() {
  InstructionCheck check{true, 0};
  check.agree = instructions_agree<32>(sample, machine_instruction, check.num_compared) &&
                instructions_agree<32>(sample_aes, machine_aes, check.num_compared) &&
                instructions_agree<32>(sample_vaes, machine_vaes, check.num_compared) &&
                instructions_agree<32>(sample_avx512, machine_avx512, check.num_compared);
  return check;
}

}  // namespace prove

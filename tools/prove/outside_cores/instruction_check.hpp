// A test of recorded_instructions.hpp.
#pragma once

#include <cstddef>

namespace prove {

/// By the machine: instruction `number` of instruction_samples.hpp on 32 bytes each. False if there are fewer, or the machine
/// has them not.
bool machine_instruction(unsigned number, const void* a, const void* b, void* result);
bool machine_aes(unsigned number, const void* a, const void* b, void* result);
bool machine_vaes(unsigned number, const void* a, const void* b, void* result);
bool machine_has_vaes();
bool machine_avx512(unsigned number, const void* a, const void* b, void* result);

/// How many instructions were compared with the machine's on random numbers; 0 and `agree` false if one differs.
struct InstructionCheck {
  bool agree;
  unsigned num_compared;
};
InstructionCheck recorded_instructions_are_real();

}  // namespace prove

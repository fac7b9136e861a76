// Compiled for AVX2 with AES-NI, VAES and VPCLMULQDQ; runs what the machine has.
#include "outside_cores/instruction_samples.hpp"

namespace prove {

bool machine_instruction(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("pclmul") != 0;
  return there && sample(number, a, b, result);
}
bool machine_aes(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("aes") != 0;
  return there && sample_aes(number, a, b, result);
}
bool machine_vaes(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("vaes") != 0 &&
                     __builtin_cpu_supports("vpclmulqdq") != 0;
  return there && sample_vaes(number, a, b, result);
}

}  // namespace prove

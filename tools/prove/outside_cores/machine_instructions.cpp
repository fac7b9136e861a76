// Compiled for AVX2 with AES-NI, VAES and VPCLMULQDQ; runs what the machine has.
#include <cpuid.h>

#include "outside_cores/instruction_samples.hpp"

namespace prove {

// VAES: CPUID leaf 7, ECX bit 9 (Intel SDM volume 2), for which not every compiler has a name.
bool machine_has_vaes() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 9 & 1) != 0;
}

bool machine_instruction(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("pclmul") != 0;
  return there && sample(number, a, b, result);
}
bool machine_aes(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("aes") != 0;
  return there && sample_aes(number, a, b, result);
}
bool machine_vaes(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx2") != 0 && machine_has_vaes() && __builtin_cpu_supports("vpclmulqdq") != 0;
  return there && sample_vaes(number, a, b, result);
}

}  // namespace prove

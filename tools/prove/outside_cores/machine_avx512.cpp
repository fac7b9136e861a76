// Compiled for AVX-512 as kernels are; runs where the machine has it.
#define PROVE_SAMPLES_AVX512
#include "outside_cores/instruction_samples.hpp"

namespace prove {

bool machine_avx512(unsigned number, const void* a, const void* b, void* result) {
  const bool there = __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                     __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
                     __builtin_cpu_supports("gfni") != 0 && machine_has_vaes() && __builtin_cpu_supports("vpclmulqdq") != 0;
  return there && sample_avx512(number, a, b, result);
}

}  // namespace prove

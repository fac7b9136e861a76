#include <cpuid.h>

#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {
namespace {

// VAES: CPUID leaf 7, ECX bit 9 (Intel SDM volume 2, CPUID). clang 14's __builtin_cpu_supports does not know it. That the
// system saves the registers is in the check of AVX2 or AVX-512, made beside this one.
bool ask_for_vaes() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 9 & 1) != 0;
}

// Asked once: a virtual machine takes microseconds to answer CPUID.
bool has_vaes() {
  static const bool result = ask_for_vaes();
  return result;
}

bool always() { return true; }

// The flags of cmake/machines/x86_64.cmake, one by one. The builtin asks the operating system's part (XCR0) as well. It
// gives an int by g++, a bool by clang.
// NOLINTBEGIN(readability-implicit-bool-conversion)
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("gfni") != 0 && has_vaes() &&
         __builtin_cpu_supports("vpclmulqdq") != 0;
}

// Those without AVX-512 that have VAES and VPCLMULQDQ: Intel's since Alder Lake, AMD's Zen 3.
bool has_avx2_vaes() { return has_avx2() && has_vaes() && __builtin_cpu_supports("vpclmulqdq") != 0; }
// NOLINTEND(readability-implicit-bool-conversion)

constexpr InstructionSet sets[] = {
    {.name = "scalar", .description = "baseline x86-64", .usable = always, PHALANX_KERNELS(scalar, scalar)},
    {.name = "avx2", .description = "AVX2, BMI2, AES-NI, PCLMULQDQ", .usable = has_avx2, PHALANX_KERNELS(avx2, avx2)},
    {.name = "avx2+vaes",
     .description = "AVX2, BMI2, VAES, VPCLMULQDQ",
     .usable = has_avx2_vaes,
     PHALANX_KERNELS(avx2, avx2_vaes)},
    {.name = "avx512",
     .description = "AVX-512 F/BW/DQ/VL/VBMI, GFNI, VAES, VPCLMULQDQ",
     .usable = has_avx512,
     PHALANX_KERNELS(avx512, avx512)},
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return sets; }

}  // namespace phalanx

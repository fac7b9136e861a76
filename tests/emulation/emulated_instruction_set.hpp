// The kernels over emulated instructions, as instruction sets beside those of instruction_sets().
#pragma once

#include "engines/cpu/instruction_sets.hpp"

namespace phalanx {

inline constexpr InstructionSet emulated_avx512{
    .name = "avx512_emulated",
    .description = "the AVX-512 kernels in plain C++",
    .usable = [] { return true; },
    .des = &des_kernel_avx512_emulated,
    .aes_128 = &aes_128_kernel_avx512_emulated,
    .aes_192 = &aes_192_kernel_avx512_emulated,
    .aes_256 = &aes_256_kernel_avx512_emulated,
    .serpent = &serpent_kernel_avx512_emulated,
    .twofish = &twofish_kernel_avx512_emulated,
    .ghash = &ghash_kernel_avx512_emulated,
};

/// On machines with AVX2, AES-NI and PCLMULQDQ.
inline constexpr InstructionSet emulated_vaes{
    .name = "avx2+vaes_emulated",
    .description = "the VAES kernels by AES-NI",
    .usable = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("aes") != 0; },
    .des = &des_kernel_avx2,
    .aes_128 = &aes_128_kernel_avx2_vaes_emulated,
    .aes_192 = &aes_192_kernel_avx2_vaes_emulated,
    .aes_256 = &aes_256_kernel_avx2_vaes_emulated,
    .serpent = &serpent_kernel_avx2,
    .twofish = &twofish_kernel_avx2,
    .ghash = &ghash_kernel_avx2_vaes_emulated,
};

}  // namespace phalanx

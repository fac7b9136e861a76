// The AVX-512 kernels over the emulation, as an instruction set beside those of instruction_sets().
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

}  // namespace phalanx

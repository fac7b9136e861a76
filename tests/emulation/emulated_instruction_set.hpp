// The AVX-512 kernels over the emulation, as an instruction set beside those of instruction_sets().
#pragma once

#include "engines/cpu/instruction_sets.hpp"

namespace phalanx {

inline constexpr InstructionSet emulated_avx512{
    "avx512_emulated",
    "the AVX-512 kernels in plain C++",
    [] { return true; },
    &des_kernel_avx512_emulated,
    &aes_128_kernel_avx512_emulated,
    &aes_192_kernel_avx512_emulated,
    &aes_256_kernel_avx512_emulated,
    &serpent_kernel_avx512_emulated,
    &twofish_kernel_avx512_emulated,
    &ghash_kernel_avx512_emulated,
};

}  // namespace phalanx

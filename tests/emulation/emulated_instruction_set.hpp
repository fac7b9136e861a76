// The kernels over emulated instructions, as instruction sets beside those of instruction_sets().
#pragma once

#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {

inline constexpr InstructionSet emulated_avx512{
    .name = "avx512_emulated",
    .description = "the AVX-512 kernels in plain C++",
    .usable = [] { return true; },
    PHALANX_KERNELS(avx512_emulated, avx512_emulated),
};

/// On machines with AVX2, AES-NI and PCLMULQDQ.
inline constexpr InstructionSet emulated_vaes{
    .name = "avx2+vaes_emulated",
    .description = "the VAES kernels by AES-NI",
    .usable = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("aes") != 0; },
    PHALANX_KERNELS(avx2, avx2_vaes_emulated),
};

}  // namespace phalanx

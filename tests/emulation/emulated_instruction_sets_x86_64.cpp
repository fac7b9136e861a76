#include "emulated_instruction_sets.hpp"

namespace phalanx {
namespace {

constexpr InstructionSet sets[] = {
    {
        .name = "avx512_emulated",
        .description = "the AVX-512 kernels in plain C++",
        .usable = [] { return true; },
        PHALANX_KERNELS(avx512_emulated, avx512_emulated),
    },
    // On machines with AVX2, AES-NI and PCLMULQDQ.
    {
        .name = "avx2+vaes_emulated",
        .description = "the VAES kernels by AES-NI",
        .usable = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("aes") != 0; },
        PHALANX_KERNELS(avx2, avx2_vaes_emulated),
    },
};

}  // namespace

std::span<const InstructionSet> emulated_instruction_sets() { return sets; }

}  // namespace phalanx

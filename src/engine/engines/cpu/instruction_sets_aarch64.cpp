#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "engine/engines/cpu/instruction_sets.hpp"

namespace phalanx {
namespace {

// Whether the kernel says that all of these can be used (AT_HWCAP of getauxval(3)).
bool has(unsigned long features) { return (getauxval(AT_HWCAP) & features) == features; }

bool always() { return true; }

// The flags of cmake/machines/aarch64.cmake, one by one. `+crypto` is AES with PMULL, and SHA-1 with SHA-256.
bool has_neon() { return has(HWCAP_ASIMD | HWCAP_AES | HWCAP_PMULL | HWCAP_SHA1 | HWCAP_SHA2); }

// `armv8.2-a` brings atomic instructions, CRC32 and rounding multiplications.
bool has_neon_sha3() { return has_neon() && has(HWCAP_SHA3 | HWCAP_ATOMICS | HWCAP_CRC32 | HWCAP_ASIMDRDM); }

constexpr InstructionSet sets[] = {
    {.name = "scalar", .description = "baseline AArch64", .usable = always, PHALANX_KERNELS(scalar, scalar)},
    {.name = "neon", .description = "NEON, AES, PMULL", .usable = has_neon, PHALANX_KERNELS(neon, neon)},
    {.name = "neon+sha3",
     .description = "NEON, AES, PMULL, and EOR3 and BCAX of SHA3",
     .usable = has_neon_sha3,
     PHALANX_KERNELS(neon_sha3, neon_sha3)},
};

}  // namespace

std::span<const InstructionSet> instruction_sets() { return sets; }

}  // namespace phalanx

#include "engine/engines/cpu/kernels/ghash_of_neon.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_neon_sha3 = make_ghash_kernel<GhashNeon>();

}  // namespace phalanx

#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_scalar = make_ghash_kernel<GhashScalar>();

}  // namespace phalanx

#include "engines/cpu/ghash_of_scalar.hpp"
#include "engines/cpu/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_scalar = make_ghash_kernel<GhashScalar>();

}  // namespace phalanx

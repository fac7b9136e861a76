#include "engine/engines/cpu/kernels/ghash_of_avx512.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_avx512 = make_ghash_kernel<GhashAvx512>();

}  // namespace phalanx

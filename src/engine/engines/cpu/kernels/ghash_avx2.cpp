#include "engine/engines/cpu/kernels/ghash_of_avx2.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_avx2 = make_ghash_kernel<GhashAvx2>();

}  // namespace phalanx

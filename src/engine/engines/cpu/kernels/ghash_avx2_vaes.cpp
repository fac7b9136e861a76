#include "engine/engines/cpu/kernels/ghash_of_avx2_vaes.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_avx2_vaes = make_ghash_kernel<GhashAvx2Vaes>();

}  // namespace phalanx

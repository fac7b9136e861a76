// AES bitsliced, four blocks in eight 64-bit planes.
#include "engine/ciphers/aes/aes_sliced_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const Kernel aes_128_kernel_scalar = make_kernel<AesSlicedCore<10>, GhashScalar>();
extern const Kernel aes_192_kernel_scalar = make_kernel<AesSlicedCore<12>, GhashScalar>();
extern const Kernel aes_256_kernel_scalar = make_kernel<AesSlicedCore<14>, GhashScalar>();

}  // namespace phalanx

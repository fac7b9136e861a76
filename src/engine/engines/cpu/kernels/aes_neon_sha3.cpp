// AES by AESE, AESD and their kin, one block a vector.
#include "engine/ciphers/aes/aes_keyed_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_neon.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_neon.hpp"

namespace phalanx {

extern const Kernel aes_128_kernel_neon_sha3 = make_kernel<AesKeyedCore<NeonWord, 10>, GhashNeon>();
extern const Kernel aes_192_kernel_neon_sha3 = make_kernel<AesKeyedCore<NeonWord, 12>, GhashNeon>();
extern const Kernel aes_256_kernel_neon_sha3 = make_kernel<AesKeyedCore<NeonWord, 14>, GhashNeon>();

}  // namespace phalanx

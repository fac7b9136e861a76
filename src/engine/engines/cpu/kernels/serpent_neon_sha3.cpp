#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_neon.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_neon.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_neon_sha3 = make_kernel<SerpentCore<NeonWord, NeonWord, 2, 2>, GhashNeon>();

}  // namespace phalanx

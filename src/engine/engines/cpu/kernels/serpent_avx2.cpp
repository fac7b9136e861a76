#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx2.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx2.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_avx2 = make_kernel<SerpentCore<Word256, Word256, 2, 1>, GhashAvx2>();

}  // namespace phalanx

#include "ciphers/serpent_core.hpp"
#include "engines/cpu/ghash_of_avx2.hpp"
#include "engines/cpu/kernel_table.hpp"
#include "lanes/word_avx2.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_avx2 = make_kernel<SerpentCore<Word256, Word256, 2, 1>, GhashAvx2>();

}  // namespace phalanx

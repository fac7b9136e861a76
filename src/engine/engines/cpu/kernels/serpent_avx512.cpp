#include "engine/ciphers/serpent/serpent_keyed_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx512.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx512_half.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_avx512 = make_kernel<SerpentKeyedCore<Word512, HalfWord512, 4>, GhashAvx512>();

}  // namespace phalanx

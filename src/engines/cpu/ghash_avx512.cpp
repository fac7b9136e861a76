// GHASH by VPCLMULQDQ, 32 blocks to a reduction.
#include "engines/cpu/kernel_table.hpp"
#include "lanes/word_avx512.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_avx512 = make_ghash_kernel<Ghash<Word512, Word128, 32>>();

}  // namespace phalanx

// GHASH by PCLMULQDQ, eight blocks to a reduction.
#include "engines/cpu/kernel_table.hpp"
#include "lanes/word_avx2.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_avx2 = make_ghash_kernel<Ghash<Word128, Word128, 8>>();

}  // namespace phalanx

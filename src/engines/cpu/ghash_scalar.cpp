// GHASH by integer multiplications, a block at a time.
#include "engines/cpu/kernel_table.hpp"
#include "lanes/word_scalar.hpp"

namespace phalanx {

extern const GhashKernel ghash_kernel_scalar = make_ghash_kernel<Ghash<Block128, Block128, 1>>();

}  // namespace phalanx

#include "engine/ciphers/serpent/serpent_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_scalar.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_scalar = make_kernel<SerpentCore<PlainWord128, PlainWord128, 2, 2>, GhashScalar>();

}  // namespace phalanx

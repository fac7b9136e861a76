#include "ciphers/serpent_core.hpp"
#include "lanes/word_avx2.hpp"
#include "modes/kernel_table.hpp"

namespace phalanx {

extern const Kernel serpent_kernel_avx2 = make_kernel<SerpentCore<Word256, Word256, 2, 2>>();

}  // namespace phalanx

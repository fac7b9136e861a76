#include "engine/ciphers/twofish/twofish_tables.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx512.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx512.hpp"

namespace phalanx {

extern const Kernel twofish_kernel_avx512 =
    make_kernel<TwofishPackedCore<Word512, TwofishTableSchedule<Word512>, 2>, GhashAvx512>();

}  // namespace phalanx

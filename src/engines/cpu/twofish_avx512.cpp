#include "ciphers/twofish_tables.hpp"
#include "lanes/word_avx512.hpp"
#include "modes/kernel_table.hpp"

namespace phalanx {

extern const Kernel twofish_kernel_avx512 =
    make_kernel<TwofishPackedCore<Word512, Word128, TwofishTableSchedule<Word512>, 2, 3>>();

}  // namespace phalanx

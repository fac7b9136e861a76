#include "engine/ciphers/twofish/twofish_scanned.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx2.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_aesni.hpp"
#include "engine/lanes/word_avx2.hpp"

namespace phalanx {

extern const Kernel twofish_kernel_avx2 =
    make_kernel<TwofishPackedCore<Word256, TwofishScannedSchedule<Word256>, 2>, GhashAvx2>();

}  // namespace phalanx

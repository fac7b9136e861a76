#include "engine/ciphers/twofish/twofish_looked_up.hpp"
#include "engine/engines/cpu/kernels/ghash_of_neon.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_neon.hpp"

namespace phalanx {

extern const Kernel twofish_kernel_neon_sha3 =
    make_kernel<TwofishPackedCore<NeonWord, TwofishLookedUpSchedule<NeonWord>, 2>, GhashNeon>();

}  // namespace phalanx

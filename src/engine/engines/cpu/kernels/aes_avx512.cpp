// AES by VAES, four blocks a vector.
#include "engine/ciphers/aes/aes_instruction_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx512.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx512.hpp"

namespace phalanx {

extern const Kernel aes_128_kernel_avx512 = make_kernel<AesInstructionCore<Word512, Word128, 10>, GhashAvx512>();
extern const Kernel aes_192_kernel_avx512 = make_kernel<AesInstructionCore<Word512, Word128, 12>, GhashAvx512>();
extern const Kernel aes_256_kernel_avx512 = make_kernel<AesInstructionCore<Word512, Word128, 14>, GhashAvx512>();

}  // namespace phalanx

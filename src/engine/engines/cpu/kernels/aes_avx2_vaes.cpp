// AES by 256-bit VAES, two blocks a vector.
#include "engine/ciphers/aes/aes_instruction_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx2_vaes.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx2_vaes.hpp"

namespace phalanx {

extern const Kernel aes_128_kernel_avx2_vaes = make_kernel<AesInstructionCore<Word256, Word128, 10>, GhashAvx2Vaes>();
extern const Kernel aes_192_kernel_avx2_vaes = make_kernel<AesInstructionCore<Word256, Word128, 12>, GhashAvx2Vaes>();
extern const Kernel aes_256_kernel_avx2_vaes = make_kernel<AesInstructionCore<Word256, Word128, 14>, GhashAvx2Vaes>();

}  // namespace phalanx

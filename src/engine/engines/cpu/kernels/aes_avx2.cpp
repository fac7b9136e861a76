// AES by AES-NI, one block a vector.
#include "engine/ciphers/aes/aes_instruction_core.hpp"
#include "engine/engines/cpu/kernels/ghash_of_avx2.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/word_avx2.hpp"

namespace phalanx {

extern const Kernel aes_128_kernel_avx2 = make_kernel<AesInstructionCore<Word128, Word128, 10>, GhashAvx2>();
extern const Kernel aes_192_kernel_avx2 = make_kernel<AesInstructionCore<Word128, Word128, 12>, GhashAvx2>();
extern const Kernel aes_256_kernel_avx2 = make_kernel<AesInstructionCore<Word128, Word128, 14>, GhashAvx2>();

}  // namespace phalanx

#include "engine/ciphers/twofish/twofish_sliced.hpp"
#include "engine/engines/cpu/kernels/ghash_of_scalar.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"

namespace phalanx {

extern const Kernel twofish_kernel_scalar = make_kernel<TwofishSlicedCore, GhashScalar>();

}  // namespace phalanx

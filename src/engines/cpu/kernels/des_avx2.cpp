#include "ciphers/des/des_core.hpp"
#include "ciphers/des/des_serial.hpp"
#include "engines/cpu/kernels/kernel_table.hpp"
#include "lanes/transpose_avx2.hpp"

namespace phalanx {

extern const Kernel des_kernel_avx2 = make_kernel<DesCore<Word256, Transpose256, SerialDesVector<Word256>>>();

}  // namespace phalanx

#include "ciphers/des_core.hpp"
#include "ciphers/des_serial.hpp"
#include "engines/cpu/kernel_table.hpp"
#include "lanes/transpose_avx512.hpp"

namespace phalanx {

extern const Kernel des_kernel_avx512 = make_kernel<DesCore<Word512, Transpose512, SerialDesVector<Word512>>>();

}  // namespace phalanx

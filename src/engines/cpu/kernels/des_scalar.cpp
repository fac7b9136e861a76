#include "ciphers/des/des_core.hpp"
#include "ciphers/des/des_serial.hpp"
#include "engines/cpu/kernels/kernel_table.hpp"
#include "lanes/transpose_scalar.hpp"

namespace phalanx {

extern const Kernel des_kernel_scalar = make_kernel<DesCore<PlainWord128, PlainTranspose<PlainWord128>, SerialDes>>();

}  // namespace phalanx

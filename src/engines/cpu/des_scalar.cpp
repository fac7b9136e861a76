#include "ciphers/des_core.hpp"
#include "ciphers/des_serial.hpp"
#include "lanes/transpose_scalar.hpp"
#include "modes/kernel_table.hpp"

namespace phalanx {

extern const Kernel des_kernel_scalar = make_kernel<DesCore<Word64, Transpose64, SerialDes>>();

}  // namespace phalanx

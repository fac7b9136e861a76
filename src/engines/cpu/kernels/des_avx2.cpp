#include "ciphers/des/des_core.hpp"
#include "ciphers/des/des_serial.hpp"
#include "engines/cpu/kernels/kernel_table.hpp"
#include "lanes/transpose_avx2.hpp"

namespace phalanx {

namespace {

using Serial = SerialDesVector<Word256>;

/// 256 blocks a group, and less than are worth one a few together.
struct CoreAvx2 : DesCore<Word256, Transpose256, Serial> {
  using Narrower = DesFewBlocks<Serial>;
};

}  // namespace

extern const Kernel des_kernel_avx2 = make_kernel<CoreAvx2>();

}  // namespace phalanx

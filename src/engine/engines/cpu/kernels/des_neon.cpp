#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_serial.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/transpose_neon.hpp"

namespace phalanx {

namespace {

// 128 blocks a group, and less than are worth one a few together.
struct CoreNeon : DesCore<NeonWord, NeonTranspose, SerialDes> {
  static constexpr std::size_t padded_blocks = 5;
  using Narrower = DesFewBlocks<SerialDes, 2>;
};

}  // namespace

extern const Kernel des_kernel_neon = make_kernel<CoreNeon>();

}  // namespace phalanx

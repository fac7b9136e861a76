#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_serial.hpp"
#include "engine/ciphers/des/des_shuffled.hpp"
#include "engine/ciphers/des/des_shuffles_avx2.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/transpose_avx2.hpp"

namespace phalanx {

namespace {

using Serial = SerialDesVector<Word256>;

// 4 blocks a group.
struct FewBlocks : DesShuffledCore<DesHalvesInWords<Word256>, Serial> {};
// 32 blocks a group, which takes as long as two of four.
struct ManyBlocks : DesShuffledCore<DesHalvesByBoxes<Word256>, Serial> {
  static constexpr std::size_t padded_blocks = 2 * FewBlocks::lanes + 1;
  using Narrower = FewBlocks;
};
// 256 blocks a group, which takes longer than two of 32.
struct CoreAvx2 : WithBoxKeys<DesCore<Word256, Transpose256, Serial>> {
  static constexpr std::size_t padded_blocks = 2 * ManyBlocks::lanes + 1;
  using Narrower = ManyBlocks;
};

}  // namespace

extern const Kernel des_kernel_avx2 = make_kernel<CoreAvx2>();

}  // namespace phalanx

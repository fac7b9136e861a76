#include "engine/ciphers/des/des_core.hpp"
#include "engine/ciphers/des/des_serial.hpp"
#include "engine/ciphers/des/des_shuffled.hpp"
#include "engine/ciphers/des/des_shuffles_avx512.hpp"
#include "engine/engines/cpu/kernels/kernel_table.hpp"
#include "engine/lanes/transpose_avx512.hpp"

namespace phalanx {
namespace {

using Serial = SerialDesVector<Word512>;

template <class W>
using Core = DesCore<W, MatrixTranspose<W>, Serial>;

// 8 blocks a group.
struct FewBlocks : DesShuffledCore<DesHalvesInWords<Word512>, Serial> {};
// 64 blocks a group, which takes less time than two of eight.
struct ManyBlocks : DesShuffledCore<DesHalvesByBoxes<Word512>, Serial> {
  using Narrower = FewBlocks;
};
// 256 blocks a group: a word of half the width has three ports instead of two.
struct Core256 : Core<HalfWord512> {
  static constexpr std::size_t padded_blocks = 2 * ManyBlocks::lanes + 1;
  using Narrower = ManyBlocks;
};
// 512 blocks a group.
struct Core512 : WithBoxKeys<Core<Word512>> {
  static constexpr std::size_t padded_blocks = Core256::lanes + 1;
  using Narrower = Core256;
};

}  // namespace

extern const Kernel des_kernel_avx512 = make_kernel<Core512>();

}  // namespace phalanx

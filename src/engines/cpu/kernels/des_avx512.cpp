#include "ciphers/des/des_core.hpp"
#include "ciphers/des/des_serial.hpp"
#include "engines/cpu/kernels/kernel_table.hpp"
#include "lanes/transpose_avx512.hpp"

namespace phalanx {
namespace {

using Serial = SerialDesVector<Word512>;

template <class W>
using Core = DesCore<W, MatrixTranspose<W>, Serial>;

/// The last blocks of a range by 256: a word of half the width has three ports instead of two. Where that is too many, a few
/// together.
struct Core256 : Core<HalfWord512> {
  using Narrower = DesFewBlocks<Serial>;
};
/// 512 blocks a group.
struct Core512 : Core<Word512> {
  static constexpr std::size_t padded_blocks = Core256::lanes + 1;
  using Narrower = Core256;
};

}  // namespace

extern const Kernel des_kernel_avx512 = make_kernel<Core512>();

}  // namespace phalanx

#include "ciphers/des/des_core.hpp"
#include "ciphers/des/des_serial.hpp"
#include "engines/cpu/kernels/kernel_table.hpp"
#include "lanes/transpose_avx512.hpp"

namespace phalanx {
namespace {

template <class W>
using Core = DesCore<W, MatrixTranspose<W>, SerialDesVector<Word512>>;

/// 512 blocks a group, and the last ones of a range by 256: a word of half the width has three ports instead of two.
struct Core512 : Core<Word512> {
  using Narrower = Core<HalfWord512>;
};

}  // namespace

extern const Kernel des_kernel_avx512 = make_kernel<Core512>();

}  // namespace phalanx

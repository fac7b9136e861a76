// The GHASH of AVX2: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "engine/lanes/word_avx2.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// By PCLMULQDQ, up to 20 blocks to a reduction.
using GhashAvx2 = Ghash<Word128, Word128, 20, GhashKaratsuba>;

}  // namespace
}  // namespace phalanx

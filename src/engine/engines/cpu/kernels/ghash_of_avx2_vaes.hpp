// The GHASH of 256-bit VPCLMULQDQ: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "engine/lanes/word_avx2_vaes.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// As GhashAvx2, whose key it takes: Serpent's and Twofish's kernels of this set are those of AVX2.
using GhashAvx2Vaes = Ghash<Word256, Word128, 20, GhashKaratsuba>;

}  // namespace
}  // namespace phalanx

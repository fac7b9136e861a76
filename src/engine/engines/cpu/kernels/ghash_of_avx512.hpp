// The GHASH of AVX-512: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "engine/lanes/word_avx512.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// By VPCLMULQDQ, up to 36 blocks to a reduction.
using GhashAvx512 = Ghash<Word512, Word128, 36, GhashSchoolbook>;

}  // namespace
}  // namespace phalanx

// The GHASH of both sets of NEON: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "engine/lanes/word_neon.hpp"
#include "engine/modes/ghash.hpp"

namespace phalanx {
namespace {

/// By PMULL and PMULL2, up to 20 blocks to a reduction.
using GhashNeon = Ghash<NeonWord, NeonWord, 20, GhashKaratsuba>;

}  // namespace
}  // namespace phalanx

// The GHASH of the scalar set: its type, and with it the layout of its key, is shared by the cipher kernels.
#pragma once

#include "lanes/word_scalar.hpp"
#include "modes/ghash.hpp"

namespace phalanx {
namespace {

/// By integer multiplications, a block at a time.
using GhashScalar = Ghash<Block128, Block128, 1, GhashKaratsuba>;

}  // namespace
}  // namespace phalanx

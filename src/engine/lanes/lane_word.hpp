// A core computes with lane words and vectors.
//
// A *lane word* is a machine word whose lanes go through the same operations in lockstep: & | ^ ~ and a three-input lookup
//     lut3<table>(a, b, c)      bit (a << 2 | b << 1 | c) of `table`, bitwise  (VPTERNLOG's and LOP3's convention)
// are all that a bitsliced cipher needs. A *vector* is the same machine word seen as bytes of a message: load, store, ^, and
//     load_first(p, n)          the first n bytes, whole blocks; zeros after them. store_first(p, n) writes so many
// and, for 128-bit blocks, those that CTR and XTS make themselves:
//     numbers128(high, low)     consecutive 128-bit numbers from high:low; low must not carry within the vector
//     add_low64(v, n)           each of them plus n; no low half may carry
//     reverse_bytes128(v)       ... as big-endian blocks
//     first_tweaks(t, i)        vector i of the tweaks T alpha^j (IEEE 1619 section 5.2, little-endian), one to each 128-bit
//                               element, from the T at t on: i < tweak_step
//     next_tweaks(v)            the tweaks that stand tweak_step vectors after v
//     far_tweaks(v)             optional: those that stand far_tweak_step vectors after it
//     TweakVector               optional: a wider vector that makes them instead
// word_scalar.hpp, word_avx2.hpp, word_avx512.hpp and word_neon.hpp implement both, one struct each.
#pragma once

#include "engine/bytes/byte_order.hpp"

namespace phalanx {
namespace {

/// A lane word whose machine has no three-input lookup, so that lut3 costs several operations, says so by has_lut3 = false:
/// it gets circuits of two-input operations.
template <class W>
concept LacksLut3 = !W::has_lut3;

}  // namespace
}  // namespace phalanx

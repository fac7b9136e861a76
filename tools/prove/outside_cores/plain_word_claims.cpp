// The operations of PlainWord128 (engine/lanes/word_scalar.hpp), which is made of the compiler's own vectors, in all of its lanes.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"
#include "outside_cores/word_comparisons.hpp"

namespace prove {
namespace {

using phalanx::PlainWord128;
using Recorded32 = phalanx::std::uint32_t;
using Recorded64 = phalanx::std::uint64_t;

Recording logic() {
  const Operands<PlainWord128> o;
  Comparison comparison;
  compare_logic(comparison, o);
  return comparison;
}

Recording shifts() {
  const Operands<PlainWord128> o;
  Comparison comparison;
  compare_counts(comparison, o, std::make_index_sequence<31>{});
  return comparison;
}

Recording moves() {
  const Operands<PlainWord128> o;
  Comparison comparison;
  compare_unpacks(comparison, o);
  comparison.equal(reverse_bytes128(o.a), moved(o.x, 8, 16, [](std::size_t i) { return i ^ 15; }));
  const Recorded64 low = Recorded64::of(element_of(o.x, 64, 0));
  const Recorded64 high = Recorded64::of(element_of(o.x, 64, 1));
  comparison.equal(PlainWord128::numbers128(high, low), o.x);
  comparison.equal(PlainWord128::from_halves(low, high), o.x);
  comparison.equal(PlainWord128::broadcast64(low), elements(2, [&](std::size_t) { return low.bits(); }));
  const Recorded32 lowest = Recorded32::of(element_of(o.x, 32, 0));
  comparison.equal(PlainWord128::broadcast32(lowest), elements(4, [&](std::size_t) { return lowest.bits(); }));
  return comparison;
}

Recording memory() {
  Comparison comparison;
  compare_parts<PlainWord128>(comparison, 8);
  return comparison;
}

// The next tweak of XTS (IEEE 1619, section 5.2), and a counter whose low half does not carry.
Recording numbers() {
  const Operands<PlainWord128> o;
  Comparison comparison;
  Signals next = turned(o.x, 1, true);
  for (const std::size_t i : {1, 2, 7}) next[i] = graph().xor_of(next[i], o.x[127]);
  comparison.equal(next_tweaks(o.a), next);
  const Signals n = element_of(o.y, 64, 0);
  comparison.equal(add_low64(o.a, Recorded64::of(n)), joined(add(element_of(o.x, 64, 0), n, zero), element_of(o.x, 64, 1)));
  std::uint8_t bytes[16];
  const Signals tweak = unknown_memory(bytes, 16);
  comparison.equal(PlainWord128::first_tweaks(bytes, 0), tweak);
  forget_memory(bytes, 16);
  return comparison;
}

}  // namespace

std::vector<Claim> plain_word_claims() {
  return {{"word.plain.logic", logic},
          {"word.plain.shifts", shifts},
          {"word.plain.moves", moves},
          {"word.plain.memory", memory},
          {"word.plain.numbers", numbers}};
}

}  // namespace prove

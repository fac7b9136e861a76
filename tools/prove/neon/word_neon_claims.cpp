// The operations of NeonWord (engine/lanes/word_neon.hpp) in all of its lanes: what each says of itself, element by element.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include "claims.hpp"
#include "engine/lanes/word_neon.hpp"
#include "outside_cores/word_comparisons.hpp"
#include "outside_cores/word_right_shifts.hpp"

namespace prove {
namespace {

using phalanx::NeonWord;
using Recorded32 = phalanx::std::uint32_t;
using Recorded64 = phalanx::std::uint64_t;

Recording logic() {
  const Operands<NeonWord> o;
  Comparison comparison;
  compare_logic(comparison, o);
  return comparison;
}

Recording shifts() {
  const Operands<NeonWord> o;
  Comparison comparison;
  compare_counts(comparison, o, std::make_index_sequence<31>{});
  compare_right_counts(comparison, o, std::make_index_sequence<31>{});
  const auto [counts, each] = unknown_counts<NeonWord>(32, 5);
  comparison.equal(rotate_left_each32(o.a, counts),
                   elements(4, [&, &own = each](std::size_t i) { return turned_by(element_of(o.x, 32, i), own[i], true); }));
  comparison.equal(add32(o.a, o.b),
                   elements(4, [&](std::size_t i) { return add(element_of(o.x, 32, i), element_of(o.y, 32, i), zero); }));
  return comparison;
}

// Byte i becomes byte (index i), or 0 where the index is 16 or more.
Signals specified_shuffle(const Operands<NeonWord>& o) {
  return elements(16, [&](std::size_t i) {
    const Signals index = element_of(o.y, 8, i);
    std::vector<Signals> row;
    for (std::size_t k = 0; k < 16; ++k) row.push_back(element_of(o.x, 8, k));
    Signals byte = entry_of(row, element_of(index, 4, 0));
    for (Literal& bit : byte) {
      for (const Literal high : element_of(index, 4, 1)) bit = graph().and_of(bit, not_of(high));
    }
    return byte;
  });
}
template <std::size_t... less_one>
void compare_byte_shifts(Comparison& comparison, const Operands<NeonWord>& o, std::index_sequence<less_one...> /*counts*/) {
  const auto compare = [&]<int count>() {
    comparison.equal(phalanx::shift_left_bytes128<count>(o.a),
                     moved(o.x, 8, 16, [](std::size_t i) { return i < count ? none : i - count; }));
  };
  (compare.template operator()<static_cast<int>(less_one) + 1>(), ...);
}
Recording moves() {
  const Operands<NeonWord> o;
  Comparison comparison;
  compare_unpacks(comparison, o);
  compare_byte_shifts(comparison, o, std::make_index_sequence<15>{});
  comparison.equal(shuffle_bytes(o.a, o.b), specified_shuffle(o));
  comparison.equal(swap_halves(o.a), moved(o.x, 64, 2, [](std::size_t i) { return i ^ 1; }));
  comparison.equal(swap32(o.a), moved(o.x, 32, 4, [](std::size_t i) { return i ^ 1; }));
  comparison.equal(reverse_bytes128(o.a), moved(o.x, 8, 16, [](std::size_t i) { return i ^ 15; }));
  comparison.equal(first128(o.a), o.x);
  comparison.equal(o.a.first32().bits(), element_of(o.x, 32, 0));
  comparison.equal(o.a.first64().bits(), element_of(o.x, 64, 0));
  const Recorded64 low = Recorded64::of(element_of(o.x, 64, 0));
  const Recorded64 high = Recorded64::of(element_of(o.x, 64, 1));
  comparison.equal(NeonWord::numbers128(high, low), o.x);
  comparison.equal(NeonWord::from_halves(high, low), o.x);
  return comparison;
}

Recording memory() {
  Comparison comparison;
  compare_parts<NeonWord>(comparison, 8);
  std::uint8_t bytes[16];
  const Signals before = unknown_memory(bytes, 16);
  const auto repeated = [](const Signals& x) { return elements(128 / x.size(), [&](std::size_t) { return x; }); };
  const Recorded32 of_32 = Recorded32::of(element_of(before, 32, 0));
  const Recorded64 of_64 = Recorded64::of(element_of(before, 64, 0));
  comparison.equal(NeonWord::broadcast32(of_32), repeated(of_32.bits()));
  comparison.equal(NeonWord::broadcast64(of_64), repeated(of_64.bits()));
  comparison.equal(NeonWord::broadcast128(bytes), before);
  comparison.equal(NeonWord::zero(), Signals(128, zero));
  for (unsigned x = 0; x < 256; ++x) {
    Signals byte;
    for (unsigned bit = 0; bit < 8; ++bit) byte.push_back(x >> bit & 1);
    comparison.equal(NeonWord::broadcast8(static_cast<std::uint8_t>(x)), repeated(byte));
  }
  forget_memory(bytes, sizeof bytes);
  return comparison;
}

// TBL and three TBX: any table of 256 bytes, at any indices.
Recording table_look_ups() {
  static std::uint8_t table[256];
  const Signals entries = unknown_memory(table, sizeof table);
  NeonWord v[2];
  std::vector<Signals> indices;
  for (NeonWord& vector : v) {
    const Signals unknown = graph().inputs(128);
    vector = vector_of<NeonWord>(unknown);
    for (std::size_t i = 0; i < 16; ++i) indices.push_back(element_of(unknown, 8, i));
  }
  phalanx::look_up_bytes(table, v);
  std::vector<Signals> found;
  for (const NeonWord& vector : v) {
    for (std::size_t i = 0; i < 16; ++i) found.push_back(element_of(signals_in(vector), 8, i));
  }
  std::vector<Signals> row;
  for (std::size_t i = 0; i < 256; ++i) row.push_back(element_of(entries, 8, i));
  forget_memory(table, sizeof table);
  return {one_of_equal_lanes(found, indices), entry_of(row, indices[0])};
}

}  // namespace

std::vector<Claim> word_neon_claims() {
  return {{"word.neon.logic", logic},
          {"word.neon.shifts", shifts},
          {"word.neon.moves", moves},
          {"word.neon.memory", memory},
          {"word.neon.table_look_ups", table_look_ups}};
}

}  // namespace prove

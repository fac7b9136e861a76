// The operations of the shipped words (src/engine/lanes) in all of their lanes: what each says of itself, element by element.
// clang-format off: first of all
#include "recorded_std.hpp"
// clang-format on
#include <utility>

#include "claims.hpp"
#include "engine/lanes/word_avx2.hpp"
#include "engine/lanes/word_avx512.hpp"
#include "engine/lanes/word_avx512_half.hpp"
#include "outside_cores/word_comparisons.hpp"
#include "outside_cores/word_right_shifts.hpp"

namespace prove {
namespace {

using phalanx::HalfWord512;
using phalanx::Word128;
using phalanx::Word256;
using phalanx::Word512;
using Recorded32 = phalanx::std::uint32_t;
using Recorded64 = phalanx::std::uint64_t;

template <class W>
Recording logic() {
  const Operands<W> o;
  Comparison comparison;
  comparison.equal(o.a & o.b, o.each_bit([](Literal p, Literal q) { return graph().and_of(p, q); }));
  comparison.equal(o.a ^ o.b, o.each_bit([](Literal p, Literal q) { return graph().xor_of(p, q); }));
  if constexpr (!std::same_as<W, HalfWord512>) {
    comparison.equal(o.a | o.b, o.each_bit([](Literal p, Literal q) { return graph().or_of(p, q); }));
    comparison.equal(and_not(o.a, o.b), o.each_bit([](Literal p, Literal q) { return graph().and_of(p, not_of(q)); }));
  }
  if constexpr (requires { ~o.a; }) comparison.equal(~o.a, o.each_bit([](Literal p, Literal) { return not_of(p); }));
  if constexpr (!std::same_as<W, Word128>) compare_lookups(comparison, o, std::make_index_sequence<256>{});
  return comparison;
}

template <class W>
void compare_own_counts(Comparison& comparison, const Operands<W>& o) {
  const auto [counts32, each32] = unknown_counts<W>(32, 5);
  const auto [counts64, each64] = unknown_counts<W>(64, 6);
  comparison.equal(rotate_left_each32(o.a, counts32), elements(o.num_bits / 32, [&, &own = each32](std::size_t i) {
                     return turned_by(element_of(o.x, 32, i), own[i], true);
                   }));
  comparison.equal(shift_left_each64(o.a, counts64), elements(o.num_bits / 64, [&, &own = each64](std::size_t i) {
                     return turned_by(element_of(o.x, 64, i), own[i], false);
                   }));
  comparison.equal(shift_right_each64(o.a, counts64), elements(o.num_bits / 64, [&, &own = each64](std::size_t i) {
                     return reversed(turned_by(reversed(element_of(o.x, 64, i)), own[i], false));
                   }));
}
// Of signed bytes, -128 at least and 127 at most.
Signals specified_difference8(const Signals& x, const Signals& y) {
  Signals less = joined(y, {y[7]});
  for (Literal& bit : less) bit = not_of(bit);
  const Signals exact = add(joined(x, {x[7]}), less, one);
  const Literal too_low = graph().and_of(exact[8], not_of(exact[7]));
  const Literal too_high = graph().and_of(not_of(exact[8]), exact[7]);
  Signals result;
  for (std::size_t i = 0; i < 8; ++i) {
    const Literal at_most = graph().choose(too_high, i == 7 ? zero : one, exact[i]);
    result.push_back(graph().choose(too_low, i == 7 ? one : zero, at_most));
  }
  return result;
}
template <class W>
Recording shifts() {
  const Operands<W> o;
  Comparison comparison;
  compare_counts(comparison, o, std::make_index_sequence<31>{});
  compare_right_counts(comparison, o, std::make_index_sequence<31>{});
  if constexpr (std::same_as<W, Word256> || std::same_as<W, Word512>) {
    compare_own_counts(comparison, o);
    comparison.equal(add32(o.a, o.b), elements(o.num_bits / 32, [&](std::size_t i) {
                       return add(element_of(o.x, 32, i), element_of(o.y, 32, i), zero);
                     }));
  }
  if constexpr (std::same_as<W, Word256>) {
    comparison.equal(subtract_saturated8(o.a, o.b), elements(o.num_bytes, [&](std::size_t i) {
                       return specified_difference8(element_of(o.x, 8, i), element_of(o.y, 8, i));
                     }));
  }
  return comparison;
}

// Each 128-bit element shifted by whole bytes.
template <class W, std::size_t... count>
void compare_byte_shifts(Comparison& comparison, const Operands<W>& o, std::index_sequence<count...> /*counts*/) {
  const auto compare = [&]<int bytes>() {
    comparison.equal(phalanx::shift_left_bytes128<bytes>(o.a),
                     moved(o.x, 8, o.num_bytes, [](std::size_t i) { return i % 16 < bytes ? none : i - bytes; }));
    if constexpr (requires { phalanx::shift_right_bytes128<bytes>(o.a); }) {
      comparison.equal(phalanx::shift_right_bytes128<bytes>(o.a),
                       moved(o.x, 8, o.num_bytes, [](std::size_t i) { return i % 16 + bytes > 15 ? none : i + bytes; }));
    }
  };
  (compare.template operator()<static_cast<int>(count)>(), ...);
}
// Byte i becomes byte (index i mod 16) of its 128-bit element; 0 where the index has bit 7 set.
template <class W>
Signals specified_shuffle(const Operands<W>& o) {
  return elements(o.num_bytes, [&](std::size_t i) {
    const Signals index = element_of(o.y, 8, i);
    std::vector<Signals> row;
    for (std::size_t k = 0; k < 16; ++k) row.push_back(element_of(o.x, 8, i / 16 * 16 + k));
    Signals byte = entry_of(row, element_of(index, 4, 0));
    for (Literal& bit : byte) bit = graph().and_of(bit, not_of(index[7]));
    return byte;
  });
}
// Bit i of a byte: the parity of the byte and byte 7 - i of the matrix in the same 64-bit element.
template <class W>
Signals specified_affine(const Operands<W>& o) {
  return elements(o.num_bytes, [&](std::size_t i) {
    Signals byte(8, zero);
    for (std::size_t bit = 0; bit < 8; ++bit) {
      for (std::size_t k = 0; k < 8; ++k) {
        const Literal of_matrix = o.y[8 * (i / 8 * 8 + 7 - bit) + k];
        byte[bit] = graph().xor_of(byte[bit], graph().and_of(of_matrix, o.x[8 * i + k]));
      }
    }
    return byte;
  });
}
template <class W>
Signals specified_or_across(const Operands<W>& o) {
  Signals any(64, zero);
  for (std::size_t i = 0; i < o.num_bits; ++i) any[i % 64] = graph().or_of(any[i % 64], o.x[i]);
  return elements(o.num_bits / 64, [&](std::size_t) { return any; });
}

// What words of AVX2 and AVX-512 have in common.
template <class W>
void compare_wide_moves(Comparison& comparison, const Operands<W>& o) {
  const auto swapped = [](std::size_t i) { return i ^ 1; };
  comparison.equal(swap32(o.a), moved(o.x, 32, o.num_bits / 32, swapped));
  comparison.equal(double_low32(o.a), moved(o.x, 32, o.num_bits / 32, [](std::size_t i) { return i & ~std::size_t{1}; }));
  comparison.equal(or_across64(o.a), specified_or_across(o));
  comparison.equal(signals_in(first128(o.a)), element_of(o.x, 128, 0));
  comparison.equal(first64(o.a).bits(), element_of(o.x, 64, 0));
  Signals sum(128, zero);
  for (std::size_t i = 0; i < o.num_bits; ++i) sum[i % 128] = graph().xor_of(sum[i % 128], o.x[i]);
  comparison.equal(signals_in(sum128(o.a)), sum);
  compare_byte_shifts(comparison, o, std::make_index_sequence<16>{});
}
// In each 128-bit element.
template <class W>
void compare_reversals(Comparison& comparison, const Operands<W>& o) {
  comparison.equal(swap_halves(o.a), moved(o.x, 64, o.num_bits / 64, [](std::size_t i) { return i ^ 1; }));
  comparison.equal(reverse_bytes128(o.a), moved(o.x, 8, o.num_bytes, [](std::size_t i) { return i ^ 15; }));
}

Recording moves128() {
  const Operands<Word128> o;
  Comparison comparison;
  compare_unpacks(comparison, o);
  compare_reversals(comparison, o);
  comparison.equal(shuffle_bytes(o.a, o.b), specified_shuffle(o));
  compare_byte_shifts(comparison, o, std::make_index_sequence<16>{});
  comparison.equal(o.a.first32().bits(), element_of(o.x, 32, 0));
  comparison.equal(o.a.first64().bits(), element_of(o.x, 64, 0));
  return comparison;
}

template <std::size_t... mask>
void compare_blends(Comparison& comparison, const Operands<Word256>& o, std::index_sequence<mask...> /*masks*/) {
  const auto compare = [&]<int number>() {
    comparison.equal(phalanx::blend32<number>(o.a, o.b),
                     chosen_elements(o.y, o.x, 32, [](std::size_t i) { return static_cast<Literal>(number >> i & 1); }));
  };
  (compare.template operator()<static_cast<int>(mask)>(), ...);
}
Recording moves256() {
  const Operands<Word256> o;
  Comparison comparison;
  compare_unpacks(comparison, o);
  compare_reversals(comparison, o);
  compare_wide_moves(comparison, o);
  comparison.equal(shuffle_bytes(o.a, o.b), specified_shuffle(o));
  compare_blends(comparison, o, std::make_index_sequence<256>{});
  comparison.equal(apart(o.a), o.x);
  comparison.equal(permute32(o.a, o.b), elements(8, [&](std::size_t i) {
                     std::vector<Signals> row;
                     for (std::size_t k = 0; k < 8; ++k) row.push_back(element_of(o.x, 32, k));
                     return entry_of(row, element_of(element_of(o.y, 32, i), 3, 0));
                   }));
  comparison.equal(choose_by_top_bits(o.c, o.a, o.b),
                   chosen_elements(o.x, o.y, 8, [&](std::size_t i) { return o.z[8 * i + 7]; }));
  comparison.equal(where_top_bit64(o.a, o.b),
                   chosen_elements(o.y, Signals(256, zero), 64, [&](std::size_t i) { return o.x[64 * i + 63]; }));
  comparison.equal(swap128(o.a), joined(element_of(o.x, 128, 1), element_of(o.x, 128, 0)));
  comparison.equal(unpack_low128(o.a, o.b), joined(element_of(o.x, 128, 0), element_of(o.y, 128, 0)));
  comparison.equal(unpack_high128(o.a, o.b), joined(element_of(o.x, 128, 1), element_of(o.y, 128, 1)));
  return comparison;
}

// Byte i becomes byte (index i mod 64) of the table.
Signals specified_permutation(const Operands<Word512>& o) {
  return elements(64, [&](std::size_t i) {
    std::vector<Signals> row;
    for (std::size_t k = 0; k < 64; ++k) row.push_back(element_of(o.x, 8, k));
    return entry_of(row, element_of(element_of(o.y, 8, i), 6, 0));
  });
}
template <class W>
void compare_masked(Comparison& comparison, const Operands<W>& o) {
  Signals mask = graph().inputs(o.num_bytes);
  mask.resize(64, zero);
  const auto which = [&](std::size_t i) { return mask[i]; };
  const Recorded64 mask_number = Recorded64::of(mask);
  comparison.equal(shuffle_bytes(o.a, o.b), specified_shuffle(o));
  comparison.equal(shuffle_bytes_where(mask_number, o.a, o.b, o.c), chosen_elements(specified_shuffle(o), o.z, 8, which));
  comparison.equal(blend_bytes(mask_number, o.a, o.b), chosen_elements(o.y, o.x, 8, which));
  comparison.equal(affine(o.a, o.b), specified_affine(o));
  if constexpr (std::same_as<W, Word512>) {
    const Signals permuted = specified_permutation(o);
    comparison.equal(permute_bytes(o.a, o.b), permuted);
    comparison.equal(permute_bytes_where(mask_number, o.a, o.b, o.c), chosen_elements(permuted, o.z, 8, which));
    comparison.equal(permute_bytes_or_zero(mask_number, o.a, o.b), chosen_elements(permuted, Signals(512, zero), 8, which));
    comparison.equal(Word512::from_byte_mask(mask_number), elements(64, [&](std::size_t i) { return Signals(8, mask[i]); }));
    comparison.equal(top_bits_of_bytes(o.a).bits(), elements(64, [&](std::size_t i) { return Signals{o.x[8 * i + 7]}; }));
  }
}
// Two elements of a, then two of b, each picked by two bits of the order.
template <std::size_t... order>
void compare_orders(Comparison& comparison, const Operands<Word512>& o, std::index_sequence<order...> /*orders*/) {
  const auto compare = [&]<int number>() {
    comparison.equal(phalanx::shuffle128<number>(o.a, o.b), elements(4, [&](std::size_t i) {
                       return element_of(i < 2 ? o.x : o.y, 128, static_cast<std::size_t>(number) >> 2 * i & 3);
                     }));
  };
  (compare.template operator()<static_cast<int>(order)>(), ...);
}
Recording moves512() {
  const Operands<Word512> o;
  Comparison comparison;
  compare_unpacks(comparison, o);
  compare_reversals(comparison, o);
  compare_wide_moves(comparison, o);
  compare_masked(comparison, o);
  compare_orders(comparison, o, std::make_index_sequence<256>{});
  return comparison;
}
Recording moves_half() {
  const Operands<HalfWord512> o;
  const Operands<Word512> whole;
  Comparison comparison;
  compare_unpacks(comparison, o);
  compare_masked(comparison, o);
  comparison.equal(signals_in(first128(o.a)), element_of(o.x, 128, 0));
  comparison.equal(HalfWord512::low_half(whole.a), element_of(whole.x, 256, 0));
  comparison.equal(HalfWord512::high_half(whole.a), element_of(whole.x, 256, 1));
  comparison.equal(join_halves(o.a, o.b), joined(o.x, o.y));
  return comparison;
}

template <class W>
void compare_broadcasts(Comparison& comparison) {
  std::uint8_t bytes[32];
  const Signals memory = unknown_memory(bytes, 32);
  const auto repeated = [](const Signals& x) { return elements(8 * sizeof(W) / x.size(), [&](std::size_t) { return x; }); };
  const Recorded32 of_32 = Recorded32::of(element_of(memory, 32, 0));
  comparison.equal(W::broadcast32(of_32), repeated(of_32.bits()));
  if constexpr (!std::same_as<W, Word128>) {
    const Recorded64 of_64 = Recorded64::of(element_of(memory, 64, 0));
    comparison.equal(W::broadcast64(of_64), repeated(of_64.bits()));
  }
  if constexpr (!std::same_as<W, HalfWord512>) {
    comparison.equal(W::broadcast128(bytes), repeated(element_of(memory, 128, 0)));
    comparison.equal(W::zero(), Signals(8 * sizeof(W), zero));
  }
  if constexpr (std::same_as<W, Word256> || std::same_as<W, Word512>) {
    for (unsigned x = 0; x < 256; ++x) {
      Signals byte;
      for (unsigned bit = 0; bit < 8; ++bit) byte.push_back(x >> bit & 1);
      comparison.equal(W::broadcast8(static_cast<std::uint8_t>(x)), repeated(byte));
    }
    comparison.equal(W::from128(Word128::load(bytes)),
                     moved(memory, 128, sizeof(W) / 16, [](std::size_t i) { return i == 0 ? i : none; }));
    comparison.equal(W::widen_bytes(bytes), elements(sizeof(W) / 8, [&](std::size_t i) {
                       Signals wide = element_of(memory, 8, i);
                       wide.resize(64, zero);
                       return wide;
                     }));
  }
  if constexpr (std::same_as<W, Word512>) comparison.equal(W::broadcast256(bytes), repeated(memory));
  forget_memory(bytes, sizeof bytes);
}
// The first 0, 1 or 2 blocks, and others in place of those that do not exist.
void compare_blocks(Comparison& comparison) {
  for (std::size_t num_blocks = 0; num_blocks <= 2; ++num_blocks) {
    std::uint8_t bytes[32];
    const Signals before = unknown_memory(bytes, 32);
    const Operands<Word256> o;
    const auto is_there = [&](std::size_t i) { return i < num_blocks ? one : zero; };
    comparison.equal(Word256::load_blocks(bytes, num_blocks, o.a), chosen_elements(before, o.x, 128, is_there));
    o.b.store_blocks(bytes, num_blocks);
    comparison.equal(read_memory(bytes, 32), chosen_elements(o.y, before, 128, is_there));
    forget_memory(bytes, sizeof bytes);
  }
}
template <class W>
Recording memory() {
  Comparison comparison;
  // Of one block all or nothing; else whole 64-bit elements, or, in half a word of AVX-512, bytes.
  compare_parts<W>(comparison, std::same_as<W, Word128> ? 16 : std::same_as<W, HalfWord512> ? 1 : 8);
  compare_broadcasts<W>(comparison);
  if constexpr (std::same_as<W, Word256>) compare_blocks(comparison);
  return comparison;
}

template <class W>
void add_word(std::vector<Claim>& claims, const std::string& word, Recording (*moves)()) {
  claims.push_back({"word." + word + ".logic", logic<W>});
  claims.push_back({"word." + word + ".shifts", shifts<W>});
  claims.push_back({"word." + word + ".moves", moves});
  claims.push_back({"word." + word + ".memory", memory<W>});
}

}  // namespace

std::vector<Claim> word_claims() {
  std::vector<Claim> claims;
  add_word<Word128>(claims, "aesni", moves128);
  add_word<Word256>(claims, "avx2", moves256);
  add_word<Word512>(claims, "avx512", moves512);
  add_word<HalfWord512>(claims, "avx512_half", moves_half);
  return claims;
}

}  // namespace prove

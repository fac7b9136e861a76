// What words of several instruction sets have in common, beside its definition. Included after the words that are compared.
#pragma once

#include <array>
#include <utility>

#include "outside_cores/word_operands.hpp"

namespace prove {

/// Elements of p where which(i) is one, else of q.
template <class Which>
Signals chosen_elements(const Signals& p, const Signals& q, std::size_t element_bits, Which which) {
  Signals result = q;
  for (std::size_t i = 0; i < q.size(); ++i) result[i] = graph().choose(which(i / element_bits), p[i], q[i]);
  return result;
}
/// Bit (a << 2 | b << 1 | c) of the table, for every table.
template <class W, std::size_t... table>
void compare_lookups(Comparison& comparison, const Operands<W>& o, std::index_sequence<table...> /*tables*/) {
  const auto compare = [&]<std::size_t number>() {
    Signals specified;
    for (std::size_t i = 0; i < o.num_bits; ++i) {
      std::vector<Signals> bits;
      for (std::size_t k = 0; k < 8; ++k) bits.push_back({static_cast<Literal>(number >> k & 1)});
      specified.push_back(entry_of(bits, {o.z[i], o.y[i], o.x[i]})[0]);
    }
    comparison.equal(phalanx::lut3<number>(o.a, o.b, o.c), specified);
  };
  (compare.template operator()<table>(), ...);
}
/// All of the logic of a word that lacks none of it.
template <class W>
void compare_logic(Comparison& comparison, const Operands<W>& o) {
  comparison.equal(o.a & o.b, o.each_bit([](Literal p, Literal q) { return graph().and_of(p, q); }));
  comparison.equal(o.a | o.b, o.each_bit([](Literal p, Literal q) { return graph().or_of(p, q); }));
  comparison.equal(o.a ^ o.b, o.each_bit([](Literal p, Literal q) { return graph().xor_of(p, q); }));
  comparison.equal(and_not(o.a, o.b), o.each_bit([](Literal p, Literal q) { return graph().and_of(p, not_of(q)); }));
  comparison.equal(~o.a, o.each_bit([](Literal p, Literal) { return not_of(p); }));
  compare_lookups(comparison, o, std::make_index_sequence<256>{});
}
/// Shifts to the left and rotations of elements of 32 bits by every count that is a template's argument.
template <class W, std::size_t... less_one>
void compare_counts(Comparison& comparison, const Operands<W>& o, std::index_sequence<less_one...> /*counts*/) {
  const auto compare = [&]<int count>() {
    const auto on_each = [&](bool rotates) {
      return elements(o.num_bits / 32, [&](std::size_t i) { return turned(element_of(o.x, 32, i), count, rotates); });
    };
    if constexpr (requires { phalanx::rotate_left32<count>(o.a); }) {
      comparison.equal(phalanx::rotate_left32<count>(o.a), on_each(true));
      comparison.equal(phalanx::shift_left32<count>(o.a), on_each(false));
    }
  };
  (compare.template operator()<static_cast<int>(less_one) + 1>(), ...);
}
/// Counts of each element's own, of so many bits; the others are zeros.
template <class W>
std::pair<W, std::vector<Signals>> unknown_counts(std::size_t element_bits, std::size_t count_bits) {
  std::vector<Signals> counts;
  const Signals all = elements(8 * sizeof(W) / element_bits, [&](std::size_t) {
    counts.push_back(graph().inputs(count_bits));
    Signals element = counts.back();
    element.resize(element_bits, zero);
    return element;
  });
  return {vector_of<W>(all), counts};
}

/// Interleaved halves of each 128-bit element.
template <class W>
void compare_unpacks(Comparison& comparison, const Operands<W>& o) {
  comparison.equal(unpack_low64(o.a, o.b), o.from_both(64, [](std::size_t i) { return std::array{0, 2}[i]; }));
  if constexpr (requires { unpack_high64(o.a, o.b); }) {
    comparison.equal(unpack_high64(o.a, o.b), o.from_both(64, [](std::size_t i) { return std::array{1, 3}[i]; }));
    comparison.equal(unpack_low32(o.a, o.b), o.from_both(32, [](std::size_t i) { return std::array{0, 4, 1, 5}[i]; }));
    comparison.equal(unpack_high32(o.a, o.b), o.from_both(32, [](std::size_t i) { return std::array{2, 6, 3, 7}[i]; }));
  }
}
/// Memory: a part of it loaded, with zeros behind; and stored, which leaves what is behind.
template <class W>
void compare_parts(Comparison& comparison, std::size_t step) {
  for (std::size_t num_bytes = 0; num_bytes <= sizeof(W); num_bytes += step) {
    std::uint8_t bytes[sizeof(W)];
    const Signals before = unknown_memory(bytes, sizeof bytes);
    const Signals value = graph().inputs(8 * sizeof(W));
    comparison.equal(W::load_first(bytes, num_bytes),
                     moved(before, 8, sizeof(W), [&](std::size_t i) { return i < num_bytes ? i : none; }));
    vector_of<W>(value).store_first(bytes, num_bytes);
    comparison.equal(read_memory(bytes, sizeof bytes),
                     chosen_elements(value, before, 8, [&](std::size_t i) { return i < num_bytes ? one : zero; }));
    forget_memory(bytes, sizeof bytes);
  }
}

}  // namespace prove

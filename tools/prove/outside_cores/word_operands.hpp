// Operands of the shipped words that nobody knows, and what is said of them: elements, moved, turned and chosen. Included after
// recorded_std.hpp.
#pragma once

#include <concepts>
#include <vector>

#include "claims.hpp"
#include "outside_cores/vector_signals.hpp"

namespace prove {

/// What is compared: what an operation makes, and its definition.
struct Comparison : Recording {
  void equal(const Signals& made, const Signals& specified) {
    append(implementation, made);
    append(specification, specified);
  }
  template <class W>
  void equal(const W& made, const Signals& specified) requires(sizeof(W) >= 16 && !std::same_as<W, Signals>) {
    equal(signals_in(made), specified);
  }
};

/// So many elements, which function(i) gives.
template <class Function>
Signals elements(std::size_t count, Function function) {
  Signals bits;
  for (std::size_t i = 0; i < count; ++i) append(bits, function(i));
  return bits;
}
/// The elements of `bits` that from(i) names, one after another; zeros where it names none.
inline constexpr std::size_t none = ~std::size_t{0};
template <class From>
Signals moved(const Signals& bits, std::size_t element_bits, std::size_t count, From from) {
  return elements(count, [&](std::size_t i) {
    return from(i) == none ? Signals(element_bits, zero) : element_of(bits, element_bits, from(i));
  });
}
/// Entry `index` of a row of elements; the lowest bit of the index chooses between neighbours.
inline Signals entry_of(std::vector<Signals> row, const Signals& index) {
  for (const Literal bit : index) {
    for (std::size_t i = 0; i < row.size() / 2; ++i) {
      Signals& chosen = row[i];
      const Signals even = row[2 * i];
      const Signals odd = row[2 * i + 1];
      chosen = even;
      for (std::size_t k = 0; k < even.size(); ++k) chosen[k] = graph().choose(bit, odd[k], even[k]);
    }
    row.resize(row.size() / 2);
  }
  return row[0];
}
/// An element of which bit i goes to place i + by; what leaves it comes in at the other end, or is lost.
inline Signals turned(const Signals& x, std::size_t by, bool rotates) {
  Signals result(x.size(), zero);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rotates || i + by < x.size()) result[(i + by) % x.size()] = x[i];
  }
  return result;
}
inline Signals reversed(Signals x) { return {x.rbegin(), x.rend()}; }
/// By an unknown count of so many bits: a case for each.
inline Signals turned_by(const Signals& x, const Signals& count, bool rotates) {
  std::vector<Signals> cases;
  for (std::size_t by = 0; by < std::size_t{1} << count.size(); ++by) cases.push_back(turned(x, by, rotates));
  return entry_of(cases, count);
}

/// Operands that nobody knows.
template <class W>
struct Operands {
  static constexpr std::size_t num_bytes = sizeof(W);
  static constexpr std::size_t num_bits = 8 * sizeof(W);
  Signals x = graph().inputs(num_bits);
  Signals y = graph().inputs(num_bits);
  Signals z = graph().inputs(num_bits);
  W a = vector_of<W>(x);
  W b = vector_of<W>(y);
  W c = vector_of<W>(z);

  template <class Gate>
  [[nodiscard]] Signals each_bit(Gate gate) const {
    Signals result;
    for (std::size_t i = 0; i < num_bits; ++i) result.push_back(gate(x[i], y[i]));
    return result;
  }
  // From elements of x and y side by side in each 128 bits: place(i) of them, those of y after those of x.
  template <class Place>
  [[nodiscard]] Signals from_both(std::size_t element_bits, Place place) const {
    const std::size_t in_128 = 128 / element_bits;
    return elements(num_bits / element_bits, [&](std::size_t i) {
      const std::size_t from = place(i % in_128);
      return element_of(from < in_128 ? x : y, element_bits, i / in_128 * in_128 + from % in_128);
    });
  }
};

}  // namespace prove

// What word_comparisons.hpp has not, since not every word shifts to the right. Included after the words that are compared.
#pragma once

#include <utility>

#include "outside_cores/word_operands.hpp"

namespace prove {

/// Shifts to the right of elements of 32 bits by every count that is a template's argument.
template <class W, std::size_t... less_one>
void compare_right_counts(Comparison& comparison, const Operands<W>& o, std::index_sequence<less_one...> /*counts*/) {
  const auto compare = [&]<int count>() {
    if constexpr (requires { phalanx::shift_right32<count>(o.a); }) {
      comparison.equal(phalanx::shift_right32<count>(o.a), elements(o.num_bits / 32, [&](std::size_t i) {
                         return reversed(turned(reversed(element_of(o.x, 32, i)), count, false));
                       }));
    }
  };
  (compare.template operator()<static_cast<int>(less_one) + 1>(), ...);
}

}  // namespace prove

// Loops whose indices are constants: for code that must look into a standard's tables while it is compiled.
#pragma once

#include <utility>

#include "engine/bytes/inline.hpp"

namespace phalanx {
namespace {

template <unsigned i>
struct ConstantIndex {
  static constexpr unsigned value = i;
};
template <class Body, unsigned... i>
PHALANX_INLINE void for_each_index(std::integer_sequence<unsigned, i...> /*indices*/, Body body) {
  (body(ConstantIndex<i>{}), ...);
}
/// Calls body(i) for i = 0 ... count - 1, where each i is a ConstantIndex.
template <unsigned count, class Body>
PHALANX_INLINE void for_each_index(Body body) {
  for_each_index(std::make_integer_sequence<unsigned, count>{}, body);
}

}  // namespace
}  // namespace phalanx

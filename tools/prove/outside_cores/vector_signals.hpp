// Shipped vectors as signals. Included after recorded_std.hpp.
#pragma once

#include "recorded_integer.hpp"

namespace prove {

template <class Vector>
Signals signals_in(const Vector& v) {
  std::uint8_t bytes[sizeof(Vector)];
  v.store(bytes);
  const Signals bits = read_memory(bytes, sizeof bytes);
  forget_memory(bytes, sizeof bytes);
  return bits;
}
template <class Vector>
Vector vector_of(const Signals& bits) {
  std::uint8_t bytes[sizeof(Vector)];
  write_memory(bytes, bits);
  const Vector v = Vector::load(bytes);
  forget_memory(bytes, sizeof bytes);
  return v;
}

}  // namespace prove

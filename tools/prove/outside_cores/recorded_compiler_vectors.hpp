// In place of the compiler's own vectors of 16 bytes (engine/lanes/word_scalar.hpp): elements that are recorded integers, and what the
// manuals of GCC and clang say of such vectors: operators work on each element by itself, a cast leaves the bytes as they are.
#pragma once

#include <array>
#include <cstddef>

#include "recorded_integer.hpp"

namespace prove {

template <class T>
struct RecordedVector {
  static constexpr std::size_t num_elements = 16 / sizeof(T);
  RecordedInteger<T> element[num_elements];

  RecordedInteger<T> operator[](std::size_t i) const { return element[i]; }
  template <class U>
  explicit operator RecordedVector<U>() const {
    RecordedVector<U> v;
    copy_memory(&v, this, sizeof v);
    return v;
  }
};

template <class T, class Function>
RecordedVector<T> on_each_element(const RecordedVector<T>& a, Function function) {
  RecordedVector<T> result;
  for (std::size_t i = 0; i < result.num_elements; ++i) result.element[i] = function(a[i], i);
  return result;
}
template <class T>
RecordedVector<T> operator&(const RecordedVector<T>& a, const RecordedVector<T>& b) {
  return on_each_element(a, [&](const auto& x, std::size_t i) { return x & b[i]; });
}
template <class T>
RecordedVector<T> operator|(const RecordedVector<T>& a, const RecordedVector<T>& b) {
  return on_each_element(a, [&](const auto& x, std::size_t i) { return x | b[i]; });
}
template <class T>
RecordedVector<T> operator^(const RecordedVector<T>& a, const RecordedVector<T>& b) {
  return on_each_element(a, [&](const auto& x, std::size_t i) { return x ^ b[i]; });
}
template <class T>
RecordedVector<T> operator+(const RecordedVector<T>& a, const RecordedVector<T>& b) {
  return on_each_element(a, [&](const auto& x, std::size_t i) { return x + b[i]; });
}
template <class T>
RecordedVector<T> operator~(const RecordedVector<T>& a) {
  return on_each_element(a, [](const auto& x, std::size_t) { return ~x; });
}
template <class T>
RecordedVector<T> operator<<(const RecordedVector<T>& a, int count) {
  return on_each_element(a, [&](const auto& x, std::size_t) { return x << count; });
}
template <class T>
RecordedVector<T> operator>>(const RecordedVector<T>& a, int count) {
  return on_each_element(a, [&](const auto& x, std::size_t) { return x >> count; });
}

/// __builtin_shufflevector: elements of a, and of b behind those of a, by their numbers.
template <class T, class... Number>
RecordedVector<T> picked(const RecordedVector<T>& a, const RecordedVector<T>& b, Number... numbers) {
  const std::array<std::size_t, sizeof...(numbers)> from = {static_cast<std::size_t>(numbers)...};
  return on_each_element(
      a, [&](const auto&, std::size_t i) { return from[i] < a.num_elements ? a[from[i]] : b[from[i] - a.num_elements]; });
}

}  // namespace prove

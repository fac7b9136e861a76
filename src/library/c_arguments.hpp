// What C gives as pointers and sizes, checked: a null pointer or a size that no memory has is an error, not a crash.
#pragma once

#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <span>
#include <string>

namespace phalanx {

/// Throws Error (usage) if the pointer is null. `what` names it: "the cipher".
template <class T>
T& not_null(T* pointer, const char* what) {
  if (pointer == nullptr) throw Error(ErrorCode::usage, std::string(what) + " is null");
  return *pointer;
}

/// The same of `count` elements, which may be none; and if no memory at this address can have so many.
template <class T>
std::span<T> elements_at(T* first, std::size_t count, const char* what) {
  if (count == 0) return {};
  const std::uintptr_t most = (UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(first)) / sizeof(T);
  if (count > PTRDIFF_MAX / sizeof(T) || count > most) {
    throw Error(ErrorCode::usage, std::string(what) + " cannot have the size " + std::to_string(count));
  }
  if (first == nullptr)
    throw Error(ErrorCode::usage, std::string(what) + " is null, and its size is " + std::to_string(count));
  return {first, count};
}

}  // namespace phalanx

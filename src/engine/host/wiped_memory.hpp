// Memory of the caller that is overwritten when it is no longer needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace phalanx {

/// Overwrites memory in a way that the compiler cannot drop: for all it knows, the assembly reads the zeros.
inline void wipe_memory(void* memory, std::size_t size) {
  if (size != 0) std::memset(memory, 0, size);  // of nothing there may be no address
  __asm__ volatile("" : : "r"(memory) : "memory");
}

/// A local array that is wiped when it goes out of scope; for blocks of key stream and the like.
template <std::size_t size>
struct WipedArray {
  alignas(64) std::uint8_t bytes[size] = {};
  WipedArray() = default;
  WipedArray(const WipedArray&) = delete;
  WipedArray& operator=(const WipedArray&) = delete;
  ~WipedArray() { wipe_memory(bytes, size); }
};

}  // namespace phalanx

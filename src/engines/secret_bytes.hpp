// Memory for keys, passphrases and what is derived from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <phalanx/phalanx.hpp>

#include "engines/secret_memory.hpp"

namespace phalanx {

/// Owns `size` bytes, zero at first and aligned to 64 bytes: in no core dump, not swapped out where the process's limits allow, and
/// wiped before the memory goes back.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t size);  ///< throws Error (runtime) if there is no memory
  explicit SecretBytes(Bytes bytes);       ///< a copy
  ~SecretBytes();
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;

  [[nodiscard]] std::uint8_t* data() { return piece_.data; }
  [[nodiscard]] const std::uint8_t* data() const { return piece_.data; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint8_t* begin() { return piece_.data; }
  [[nodiscard]] std::uint8_t* end() { return piece_.data + size_; }
  [[nodiscard]] const std::uint8_t* begin() const { return piece_.data; }
  [[nodiscard]] const std::uint8_t* end() const { return piece_.data + size_; }
  [[nodiscard]] operator Bytes() const { return {piece_.data, size_}; }   // NOLINT(google-explicit-constructor)
  [[nodiscard]] operator MutableBytes() { return {piece_.data, size_}; }  // NOLINT(google-explicit-constructor)

  /// Keeps the first new_size bytes (at most size()) and wipes the rest.
  void shrink(std::size_t new_size);

 private:
  void release() noexcept;

  SecretPiece piece_;
  std::size_t size_ = 0;
};

/// Overwrites memory in a way that the compiler keeps: for all that it knows, the assembly reads it.
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

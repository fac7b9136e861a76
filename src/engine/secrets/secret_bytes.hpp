// Memory for keys, passphrases and what is derived from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/bytes.hpp>

#include "engine/host/host.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {

/// Owns `size` bytes, zero at first and aligned to 64 bytes: in no core dump, not swapped out where the process's limits
/// allow, and wiped before the memory goes back.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t size);  ///< throws Error (runtime) if there is no memory
  explicit SecretBytes(Bytes bytes);       ///< a copy
  ~SecretBytes();
  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;

  [[nodiscard]] const std::uint8_t* data() const { return piece_.data; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const std::uint8_t* begin() const { return piece_.data; }
  [[nodiscard]] const std::uint8_t* end() const { return piece_.data + size_; }
  [[nodiscard]] operator Bytes() const { return {piece_.data, size_}; }  // NOLINT(google-explicit-constructor)

  // A caller who may write the bytes may write the object. A constant object gives constant bytes.
  [[nodiscard]] std::uint8_t* data() { return piece_.data; }
  [[nodiscard]] std::uint8_t* begin() { return piece_.data; }
  [[nodiscard]] std::uint8_t* end() { return piece_.data + size_; }
  [[nodiscard]] operator MutableBytes() { return {piece_.data, size_}; }  // NOLINT(google-explicit-constructor)
  // NOLINTEND(readability-make-member-function-const)

  /// Keeps the first new_size bytes (at most size()) and wipes the rest.
  void shrink(std::size_t new_size);

 private:
  void release() noexcept;

  SecretPiece piece_;
  std::size_t size_ = 0;
};

}  // namespace phalanx

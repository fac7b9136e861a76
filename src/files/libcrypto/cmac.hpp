// MACs of the tags of chunks: what a record of sealed chunks may show.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>

namespace phalanx {

using Cmac = std::array<std::uint8_t, 16>;

inline constexpr std::size_t cmac_key_bytes = 32;

/// Computes CMAC with AES-256 (SP 800-38B), by libcrypto. One thread at a time may use a key.
class CmacKey {
 public:
  /// `key` is cmac_key_bytes long; libcrypto keeps and wipes its own copy.
  explicit CmacKey(Bytes key);
  ~CmacKey();
  CmacKey(CmacKey&&) noexcept;
  CmacKey& operator=(CmacKey&&) noexcept;

  /// Computes the MAC of the chunk's number, 8 bytes little-endian, and its tag.
  [[nodiscard]] Cmac compute(std::uint64_t chunk, Bytes tag) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

// MACs of the tags of chunks: what a record of sealed chunks may show.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "phalanx/phalanx.hpp"

namespace phalanx {

using TagMac = std::array<std::uint8_t, 16>;

inline constexpr std::size_t tag_mac_key_bytes = 32;

/// CMAC with AES-256 (SP 800-38B), by libcrypto. One thread at a time.
class TagMacKey {
 public:
  /// `key` is tag_mac_key_bytes long; libcrypto keeps and wipes its own copy.
  explicit TagMacKey(Bytes key);
  ~TagMacKey();
  TagMacKey(TagMacKey&&) noexcept;
  TagMacKey& operator=(TagMacKey&&) noexcept;

  /// The same key for another thread.
  [[nodiscard]] TagMacKey copy() const;

  /// Of the chunk's number, 8 bytes little-endian, and its tag.
  [[nodiscard]] TagMac compute(std::uint64_t chunk, Bytes tag) const;

 private:
  struct State;
  explicit TagMacKey(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phalanx

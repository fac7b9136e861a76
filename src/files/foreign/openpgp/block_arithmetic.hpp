// Blocks of 128 bits as OCB and EAX compute with them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <phalanx/bytes.hpp>

namespace phalanx {

/// Adds a block of 16 bytes to another, bit by bit.
inline void add_block(std::uint8_t* block, const std::uint8_t* other) {
  std::uint64_t words[2], others[2];
  std::memcpy(words, block, sizeof words);
  std::memcpy(others, other, sizeof others);
  words[0] ^= others[0];
  words[1] ^= others[1];
  std::memcpy(block, words, sizeof words);
}

/// Returns a block times x in the field of 2^128 elements (RFC 7253, section 2; SP 800-38B, section 6.1). No branch depends
/// on the block.
[[nodiscard]] inline std::array<std::uint8_t, 16> doubled(const std::array<std::uint8_t, 16>& block) {
  std::array<std::uint8_t, 16> result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    const unsigned next = i + 1 < block.size() ? block[i + 1] : 0U;
    result[i] = static_cast<std::uint8_t>(static_cast<unsigned>(block[i]) << 1 | next >> 7);
  }
  constexpr unsigned polynomial = 0x87;
  result.back() ^= static_cast<std::uint8_t>((0U - (static_cast<unsigned>(block.front()) >> 7)) & polynomial);
  return result;
}

}  // namespace phalanx

// A bit as a char, 0 or 1 (section IV-C: processors cannot fetch a single bit, so the paper takes the smallest type there
// is).
#pragma once

#include <cstddef>
#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <vector>

namespace papers::altinok2020 {

/// Eight chars for each byte, its most significant bit first, as FIPS 46-3 numbers them. bits: 8 * bytes.size() chars.
inline void spread_bits(phalanx::Bytes bytes, char* bits) {
  for (const std::uint8_t byte : bytes)
    for (int bit = 7; bit >= 0; --bit) *bits++ = static_cast<char>(byte >> bit & 1);
}

/// The inverse.
inline void gather_bytes(const char* bits, phalanx::MutableBytes bytes) {
  for (std::uint8_t& byte : bytes) {
    unsigned value = 0;
    for (int bit = 0; bit < 8; ++bit) value = value << 1 | static_cast<unsigned>(*bits++);
    byte = static_cast<std::uint8_t>(value);
  }
}

inline std::vector<char> bits_of(phalanx::Bytes bytes) {
  std::vector<char> bits(8 * bytes.size());
  spread_bits(bytes, bits.data());
  return bits;
}

}  // namespace papers::altinok2020

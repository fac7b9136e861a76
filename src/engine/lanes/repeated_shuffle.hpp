// Shuffles within 16 bytes that do the same to every few of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/bytes/inline.hpp"

namespace phalanx {
namespace {

/// For every `period` bytes: which of them becomes each of them, or shuffle_no_byte for zero.
inline constexpr std::uint8_t shuffle_no_byte = 0x80;

template <std::size_t period>
struct RepeatedShuffle {
  alignas(16) std::uint8_t from[16];

  constexpr explicit RepeatedShuffle(const std::uint8_t (&of_each)[period]) : from() {
    for (std::size_t i = 0; i < 16; ++i) {
      const std::uint8_t source = of_each[i % period];
      from[i] = source == shuffle_no_byte ? source : static_cast<std::uint8_t>(i / period * period + source);
    }
  }
  template <class W>
  PHALANX_INLINE W of(W v) const {
    return shuffle_bytes(v, W::broadcast128(from));
  }
};

}  // namespace
}  // namespace phalanx

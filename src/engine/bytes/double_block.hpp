// This doubles blocks, as CMAC and OCB do.
#pragma once

#include <cstdint>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {

/// Multiplies a block of 16 bytes by x in the field of 2^128 elements (SP 800-38B, section 6.1; RFC 7253, section 2), in
/// place. No branch depends on the block.
inline void double_block(std::uint8_t* block) {
  const std::uint64_t high = reverse_bytes(load_u64(block)), low = reverse_bytes(load_u64(block + 8));
  const std::uint64_t carry = 0 - (high >> 63);
  store_u64(block, reverse_bytes(high << 1 | low >> 63));
  store_u64(block + 8, reverse_bytes(low << 1 ^ (carry & 0x87)));
}

}  // namespace phalanx

// What a message of GCM (SP 800-38D) has beside its whole blocks: the key stream at both of its ends, and the end of its
// hash.
#pragma once

#include <cstring>
#include <phalanx/bytes.hpp>

#include "engine/bytes/byte_order.hpp"

namespace phalanx {

/// inc_32 (section 6.2), num_blocks times. `counter` may be `first`.
inline void copy_counter_after(const std::uint8_t* first, std::uint64_t num_blocks, std::uint8_t* counter) {
  const std::uint64_t low = reverse_bytes(load_u64(first + 8));
  const std::uint64_t counted = (low & ~std::uint64_t{0xffffffff}) | ((low + num_blocks) & 0xffffffff);
  store_pair(counter, Pair64{load_u64(first), reverse_bytes(counted)});
}

/// J_0 of section 7.1, step 2, for a nonce of 12 bytes.
inline void write_first_counter(const std::uint8_t* nonce, std::uint8_t* counter) {
  store_pair(counter, Pair64{load_u64(nonce), load_u32(nonce + 8) | std::uint64_t{1} << 56});
}

/// The counters that make the key stream of the ends, to be encrypted: J_0, which masks the tag, and, where the text ends
/// with a short block, that block's. Returns how many these are, 1 or 2.
inline std::size_t write_end_counters(const std::uint8_t* first_counter, std::size_t text_bytes, std::uint8_t* counters) {
  std::memcpy(counters, first_counter, 16);
  if (text_bytes % 16 == 0) return 1;
  copy_counter_after(first_counter, 1 + text_bytes / 16, counters + 16);
  return 2;
}

/// What GHASH ends with (section 7.1, steps 4 and 5): the short last block of ciphertext, padded, if there is one; the
/// lengths.
struct HashedEnd {
  alignas(64) std::uint8_t blocks[32];
  std::size_t num_blocks = 0;

  HashedEnd(Bytes text_end, std::size_t associated_bytes, std::size_t text_bytes) {
    if (!text_end.empty()) {
      std::memset(blocks, 0, 16);
      std::memcpy(blocks, text_end.data(), text_end.size());
      num_blocks = 1;
    }
    std::uint8_t* lengths = blocks + 16 * num_blocks++;
    store_pair(lengths,
               Pair64{reverse_bytes(std::uint64_t{associated_bytes} * 8), reverse_bytes(std::uint64_t{text_bytes} * 8)});
  }
};

}  // namespace phalanx

// These are tables of words in a GPU's shared memory, a copy for each lane of a warp. Entry v of tables 2i and 2i + 1
// is a row of 256 bytes: the 32 lanes' copies of the one, then of the other. All that a lane looks up lies in its own
// bank. So no look-up waits for another lane's, whatever the indices are, and the time does not depend on them. One
// byte permute makes an address, v * 256 + lane * 4. The rest is an immediate offset.
//
// On a host, where tests run the same look-ups, the tables are in plain memory.
#pragma once

#include "engine/lanes/word_gpu.hpp"

namespace phalanx {
namespace {

/// This thread among those of its CUDA block; a host has one.
PHALANX_INLINE unsigned thread_in_block() {
#if defined(__CUDA_ARCH__)
  return threadIdx.x;
#else
  return 0;
#endif
}
PHALANX_INLINE unsigned threads_in_block() {
#if defined(__CUDA_ARCH__)
  return blockDim.x;
#else
  return 1;
#endif
}
PHALANX_INLINE void synchronize_block() {
#if defined(__CUDA_ARCH__)
  __syncthreads();
#endif
}

template <unsigned num_entries>
struct LaneTablesOf {
  static constexpr std::size_t row_bytes = 256;
  static constexpr std::size_t pair_bytes = num_entries * row_bytes;  ///< two tables

  const std::uint8_t* memory;
  std::uint32_t lane_bytes;  ///< 4 * lane

  static constexpr std::size_t bytes_of(unsigned num_tables) { return (num_tables + 1) / 2 * pair_bytes; }

  /// Byte `byte` of x is the index, below num_entries.
  template <unsigned table, unsigned byte>
  PHALANX_INLINE std::uint32_t look_up(std::uint32_t x) const {
    constexpr std::size_t offset = table / 2 * pair_bytes + table % 2 * 128;
    return load_word(memory + permute_bytes<0x5504 | byte << 4>(x, lane_bytes) + offset);
  }

  /// Writes the tables for all lanes, and waits until all threads of the CUDA block have done their parts: entry(v, words)
  /// sets words[t] to entry v of table t. A whole warp asks for the same v at once.
  template <unsigned num_tables, class Entry>
  static PHALANX_INLINE LaneTablesOf fill(std::uint8_t* memory, Entry entry) {
    for (unsigned i = thread_in_block(); i < num_entries * 32; i += threads_in_block()) {
      std::uint32_t words[num_tables];
      entry(i / 32, words);
      PHALANX_UNROLL
      for (unsigned table = 0; table < num_tables; ++table) {
        store_word(memory + table / 2 * pair_bytes + i / 32 * row_bytes + table % 2 * 128 + i % 32 * 4, words[table]);
      }
    }
    synchronize_block();
    return {memory, thread_in_block() % 32 * 4};
  }
  /// Overwrites what fill wrote, once no thread of the CUDA block needs it any more.
  static PHALANX_INLINE void wipe_tables(std::uint8_t* memory, unsigned num_tables) {
    synchronize_block();
    auto* const words = reinterpret_cast<volatile std::uint32_t*>(memory);
    for (unsigned i = thread_in_block(); i < bytes_of(num_tables) / 4; i += threads_in_block()) words[i] = 0;
  }

 private:
  static PHALANX_INLINE std::uint32_t load_word(const std::uint8_t* p) { return *reinterpret_cast<const std::uint32_t*>(p); }
  static PHALANX_INLINE void store_word(std::uint8_t* p, std::uint32_t x) { *reinterpret_cast<std::uint32_t*>(p) = x; }
};

using LaneTables = LaneTablesOf<256>;

/// Four tables of which 2 and 3 are 0 and 1 with their words rotated by two bytes: for machines with room for two.
struct HalfLaneTables {
  LaneTables tables;

  template <unsigned table, unsigned byte>
  PHALANX_INLINE std::uint32_t look_up(std::uint32_t x) const {
    const std::uint32_t word = tables.look_up<table % 2, byte>(x);
    return table < 2 ? word : permute_bytes<0x1032>(word, word);
  }
};

}  // namespace
}  // namespace phalanx

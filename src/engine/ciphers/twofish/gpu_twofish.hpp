// Twofish, one block a thread, by keyed tables in shared memory: as AES (gpu_aes.hpp), but that the tables are secret.
#pragma once

#include <type_traits>

#include "engine/ciphers/twofish/twofish_unkeyed_tables.hpp"
#include "engine/lanes/gpu_key_vectors.hpp"
#include "engine/lanes/lane_tables.hpp"

namespace phalanx {
namespace {

#if defined(__CUDACC__)
__constant__ constexpr TwofishQTable gpu_twofish_q_table{};  // a device cannot index the host's constants
#endif
PHALANX_INLINE std::uint32_t gpu_twofish_q_word(unsigned x) {
#if defined(__CUDA_ARCH__)
  return gpu_twofish_q_table.word[x];
#else
  return twofish_q_table.word[x];
#endif
}

/// Boxes is TwofishFourTables (128 KiB) or, where a multiprocessor has less, TwofishOneTable (64 KiB).
template <class Boxes>
struct GpuTwofish {
  static constexpr unsigned num_tables = std::is_same_v<Boxes, TwofishFourTables<LaneTables>> ? 4 : 1;
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned blocks_per_thread = 1;
  static constexpr unsigned threads_per_block = 1024;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned grid_blocks = 1;
  static constexpr std::size_t shared_bytes = LaneTables::bytes_of(num_tables);
  using Schedule = TwofishTableSchedule;

  Boxes boxes;

  static void expand_key(const std::uint8_t* key, std::size_t key_bytes, Schedule& schedule) {
    schedule.expand(key, key_bytes);
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(const Schedule& schedule, std::uint8_t* shared) {
    boxes = {LaneTables::fill<num_tables>(shared, [&schedule](unsigned x, std::uint32_t words[num_tables]) {
      if constexpr (num_tables == 1) {
        words[0] = schedule.s_boxes(x);
      } else {
        PHALANX_UNROLL
        for (unsigned column = 0; column < num_tables; ++column) words[column] = schedule.table[column][x];
      }
    })};
  }
  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock128 x[1]) {
    twofish_table_crypt<direction>(boxes, schedule, x[0].word);
  }
  PHALANX_INLINE void finish(std::uint8_t* shared) { LaneTables::wipe_tables(shared, num_tables); }
};

/// Messages with a key each. Vectors 0 to 9 of an expanded key are K, vector 10 is L.
struct GpuTwofishOfKeys {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned threads_per_block = 512;  // as for AES
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned grid_blocks = 1;
  static constexpr std::size_t shared_bytes = LaneTables::bytes_of(1);
  static constexpr unsigned key_vectors = 11;

  LaneTables tables;

  template <Direction direction>
  static PHALANX_INLINE void expand_key(const std::uint8_t* key, std::size_t key_bytes, const GpuMessageKeys& keys) {
    TwofishKey expanded;
    twofish_expand_key<TwofishPairs>(key, key_bytes, expanded);
    for (unsigned i = 0; i < 10; ++i) keys.store(i, expanded.K + 4 * i);
    keys.store(10, expanded.L);
    wipe(&expanded, sizeof expanded);
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(std::uint8_t* shared) {
    tables = LaneTables::fill<1>(shared, [](unsigned x, std::uint32_t words[1]) { words[0] = gpu_twofish_q_word(x); });
  }

  struct Keys {
    const GpuMessageKeys& vectors;

    PHALANX_INLINE GpuMessageKeys::Vector whitening(unsigned end) const { return vectors[end]; }
    PHALANX_INLINE TwofishRoundKey round_key(unsigned r) const {
      const GpuMessageKeys::Vector two_rounds = vectors[2 + r / 2];
      return {two_rounds[r % 2 * 2], two_rounds[r % 2 * 2 + 1] - two_rounds[r % 2 * 2], 1};
    }
  };
  template <Direction direction>
  PHALANX_INLINE void crypt(const GpuMessageKeys& vectors, std::size_t key_bytes, GpuBlock128& x) {
    const GpuMessageKeys::Vector L = vectors[10];
    const TwofishUnkeyedBoxes<LaneTables> boxes{tables, {L[0], L[1], L[2], L[3]}, static_cast<unsigned>(key_bytes / 8)};
    twofish_table_crypt<direction>(boxes, Keys{vectors}, x.word);
  }
};

}  // namespace
}  // namespace phalanx

// Twofish, one block a thread, by keyed tables in shared memory: as AES (gpu_aes.hpp), but that the tables are secret.
#pragma once

#include <type_traits>

#include "ciphers/twofish_table_core.hpp"
#include "engines/cuda/gpu_block.hpp"
#include "lanes/lane_tables.hpp"

namespace phalanx {
namespace {

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

}  // namespace
}  // namespace phalanx

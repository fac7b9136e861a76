// DES, double DES and triple DES on a GPU by tables, a message a thread: for batches of so few messages that the bitsliced
// kernel, which takes 32 of them a thread, would leave most of the GPU idle. The tables are 64 KiB; one CUDA block of 512
// threads fills a multiprocessor.
#pragma once

#include "engine/ciphers/des/gpu_des.hpp"
#include "engine/lanes/gpu_key_vectors.hpp"
#include "engine/lanes/lane_tables.hpp"

namespace phalanx {
namespace {

inline constexpr DesTables des_tables = make_des_tables();

#if defined(__CUDACC__)
__constant__ constexpr DesTables gpu_des_tables = make_des_tables();  // a device cannot index the host's constants
#endif
PHALANX_INLINE std::uint32_t gpu_des_table_word(unsigned box, unsigned x) {
#if defined(__CUDA_ARCH__)
  return gpu_des_tables.word[box][x];
#else
  return des_tables.word[box][x];
#endif
}

using DesLaneTables = LaneTablesOf<64>;

PHALANX_INLINE DesLaneTables fill_des_tables(std::uint8_t* shared) {
  return DesLaneTables::fill<8>(shared, [](unsigned x, std::uint32_t words[8]) {
    PHALANX_UNROLL
    for (unsigned box = 0; box < 8; ++box) words[box] = gpu_des_table_word(box, x);
  });
}

/// What both of the following are to a kernel.
struct GpuDesByTables {
  static constexpr std::size_t block_bytes = 8;
  static constexpr unsigned threads_per_block = 512;  // of 128 registers
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned grid_blocks = 1;
  static constexpr std::size_t shared_bytes = DesLaneTables::bytes_of(8);
};

/// Messages under the key in place. Proofs put other Tables in place of these.
template <class Tables = DesLaneTables>
struct GpuDesTables : GpuDesByTables {
  Tables tables;

  template <Direction direction>
  PHALANX_INLINE void prepare(const GpuDesSchedule& /*schedule*/, std::uint8_t* shared) {
    tables = fill_des_tables(shared);
  }
  template <Direction direction>
  PHALANX_INLINE void crypt(const GpuDesSchedule& schedule, GpuBlock64 x[1]) const {
    const GpuDesTableKeys& keys = schedule.table_keys[static_cast<unsigned>(direction)];
    des_table_crypt(x[0].word, [&](std::uint32_t& left, std::uint32_t& right) {
      PHALANX_NO_UNROLL
      for (unsigned pass = 0; pass < schedule.num_passes; ++pass) {
        const auto* const of_pass = keys.pair + 8 * pass;
        des_table_pass(tables, left, right, [of_pass](unsigned i) { return of_pass[i]; });
      }
    });
  }
};

/// Messages with a key of num_passes parts each. Vector i of an expanded key is of rounds 2i and 2i + 1.
template <unsigned num_passes, class Tables = DesLaneTables>
struct GpuDesTablesOfKeys : GpuDesByTables {
  static constexpr unsigned key_vectors = 8 * num_passes;

  Tables tables;

  template <Direction direction>
  static PHALANX_INLINE void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, const GpuMessageKeys& keys) {
    expand_des_round_keys(key, num_passes, direction,
                          [&](unsigned i, const std::uint32_t words[4]) { keys.store(i, words); });
  }

  /// As many vectors as there are registers for stay in these; the others are read for each block. To read all of them would
  /// take as long as a quarter of the look-ups.
  struct HeldKeys {
    static constexpr unsigned most_held = 18;
    static constexpr unsigned num_held = key_vectors < most_held ? key_vectors : most_held;

    std::uint32_t held[num_held][4];
    GpuMessageKeys all;

    /// Those that are read lie apart, so that one can arrive while others are used.
    static constexpr unsigned place(unsigned i) { return i * num_held / key_vectors; }
    static constexpr bool is_held(unsigned i) { return place(i + 1) != place(i); }

    explicit PHALANX_INLINE HeldKeys(const GpuMessageKeys& keys) : all(keys) {
      PHALANX_UNROLL
      for (unsigned i = 0; i < key_vectors; ++i) {
        if (!is_held(i)) continue;
        const GpuMessageKeys::Vector vector = keys[i];
        PHALANX_UNROLL
        for (unsigned j = 0; j < 4; ++j) held[place(i)][j] = vector[j];
      }
    }
    PHALANX_INLINE GpuMessageKeys::Vector operator[](unsigned i) const {
      if (!is_held(i)) return all[i];
      const std::uint32_t* const words = held[place(i)];
      return {{{words[0], words[1], words[2], words[3]}}};
    }
  };

  template <Direction direction>
  PHALANX_INLINE void prepare(std::uint8_t* shared) {
    tables = fill_des_tables(shared);
  }
  PHALANX_INLINE void crypt(const HeldKeys& keys, GpuBlock64& x) const {
    des_table_crypt(x.word, [&](std::uint32_t& left, std::uint32_t& right) {
      PHALANX_UNROLL
      for (unsigned pass = 0; pass < num_passes; ++pass) {
        des_table_pass(tables, left, right, [&](unsigned i) { return keys[8 * pass + i]; });
      }
    });
  }
};

}  // namespace
}  // namespace phalanx

// AES, one block a thread, by tables in shared memory: one CUDA block of 1,024 threads fills a multiprocessor, as its tables
// do.
#pragma once

#include <type_traits>

#include "engine/ciphers/aes/aes_table_core.hpp"
#include "engine/lanes/gpu_key_vectors.hpp"
#include "engine/lanes/lane_tables.hpp"

namespace phalanx {
namespace {

#if defined(__CUDACC__)
__constant__ constexpr AesTables gpu_aes_tables{};  // a device cannot index the host's constants
#endif
PHALANX_INLINE std::uint32_t gpu_aes_table_word(Direction direction, unsigned v) {
#if defined(__CUDA_ARCH__)
  return gpu_aes_tables.word[static_cast<unsigned>(direction)][v];
#else
  return aes_tables.word[static_cast<unsigned>(direction)][v];
#endif
}

/// The warp that a thread is in; a host's has one lane.
struct OwnWarp {
  static PHALANX_INLINE unsigned lane() { return thread_in_block() % 32; }
  /// Whether it is true for any lane of the warp.
  static PHALANX_INLINE bool any_lane(bool condition) {
#if defined(__CUDA_ARCH__)
    return __any_sync(0xffffffff, condition) != 0;
#else
    return condition;
#endif
  }
};

template <Direction direction, unsigned num_tables>
PHALANX_INLINE LaneTables fill_aes_tables(std::uint8_t* shared) {
  return LaneTables::fill<num_tables>(shared, [](unsigned v, std::uint32_t words[num_tables]) {
    words[0] = gpu_aes_table_word(direction, v);
    PHALANX_UNROLL
    for (unsigned table = 1; table < num_tables; ++table) words[table] = aes_rotate_left(words[0], 8 * table);
  });
}

/// Tables is LaneTables (128 KiB) or, where a multiprocessor has less, HalfLaneTables (64 KiB). Proofs put others in place
/// of the last two (tools/prove/aes/warp_counter_claims.cpp).
template <int num_rounds, class Tables, class CounterRounds = AesCounterRounds, class Warp = OwnWarp>
struct GpuAes {
  static constexpr unsigned num_tables = std::is_same_v<Tables, LaneTables> ? 4 : 2;
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned blocks_per_thread = 1;
  static constexpr unsigned threads_per_block = 1024;
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned grid_blocks = 1;
  static constexpr std::size_t shared_bytes = LaneTables::bytes_of(num_tables);
  using Schedule = AesTableSchedule<num_rounds>;

  Tables tables;
  CounterRounds counter_rounds;

  static PHALANX_INLINE void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, Schedule& schedule) {
    schedule.expand(key);
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(const Schedule& /*schedule*/, std::uint8_t* shared) {
    tables = {fill_aes_tables<direction, num_tables>(shared)};
  }
  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& schedule, GpuBlock128 x[1]) {
    aes_table_crypt<direction, num_rounds>(tables, schedule.round_keys[static_cast<unsigned>(direction)], x[0].word);
  }
  PHALANX_INLINE void forget_counters() { counter_rounds.prefix = ~std::uint64_t{0}; }
  PHALANX_INLINE void encrypt_counters(const Schedule& schedule, std::uint64_t high, std::uint64_t low, GpuBlock128 x[1]) {
    const auto& round_keys = schedule.round_keys[static_cast<unsigned>(Direction::encrypt)];
    x[0] = first_rounds_of_counter(round_keys, high, low);
    aes_table_rounds<Direction::encrypt, num_rounds, 2>(tables, round_keys, x[0].word);
  }
  /// The state of the lane's counter after two rounds. The lanes of a warp have neighbouring counters, of which a step has
  /// two prefixes at most. Where it has two, the lanes behind take the new one's rounds, and the next step finds them
  /// prepared for all: once in 256 counters.
  template <class RoundKeys>
  PHALANX_INLINE GpuBlock128 first_rounds_of_counter(const RoundKeys& round_keys, std::uint64_t high, std::uint64_t low) {
    const auto lane = Warp::lane();
    const std::uint64_t last = low + (31 - lane);
    GpuBlock128 x = {};
    for (bool is_done = false;;) {
      GpuBlock128 state;
      counter_rounds.run(tables, counter_block<4>(high, low).word[3], state.word);
      const bool is_prepared = low >> 8 == counter_rounds.prefix;
      PHALANX_UNROLL
      for (unsigned i = 0; i < 4; ++i) x.word[i] = is_prepared ? state.word[i] : x.word[i];
      is_done = is_done || is_prepared;
      if (!Warp::any_lane(!is_done || last >> 8 != counter_rounds.prefix))
        return x;  // the warp as one: a branch that parts it would cost more
      const bool begins = Warp::any_lane(!is_prepared && low >> 8 != last >> 8);
      const std::uint64_t next = begins ? low - lane : last;
      const std::uint64_t next_high = begins ? high - (next > low ? 1 : 0) : high + (next < low ? 1 : 0);
      counter_rounds.prepare(tables, round_keys, counter_block<4>(next_high, next).word);
      counter_rounds.prefix = next >> 8;
    }
  }
};

/// The same for messages with a key each. Where a thread has a message of its own, the smaller tables leave a part of the
/// multiprocessor's memory as cache for the keys; where all lanes of a warp have one message, larger ones are faster.
template <int num_rounds, class Tables = HalfLaneTables>
struct GpuAesOfKeys {
  static constexpr std::size_t block_bytes = 16;
  static constexpr unsigned num_tables = std::is_same_v<Tables, LaneTables> ? 4 : 2;
  static constexpr unsigned threads_per_block = 512;  // more of them leave their keys no place in the cache
  static constexpr unsigned resident_blocks = 1;
  static constexpr unsigned grid_blocks = 1;
  static constexpr std::size_t shared_bytes = LaneTables::bytes_of(num_tables);
  static constexpr unsigned key_vectors = num_rounds + 1;

  GpuAes<num_rounds, Tables> aes;

  template <Direction direction>
  static PHALANX_INLINE void expand_key(const std::uint8_t* key, std::size_t /*key_bytes*/, const GpuMessageKeys& keys) {
    AesTableSchedule<num_rounds> schedule;
    schedule.expand(key);
    for (unsigned i = 0; i < key_vectors; ++i) keys.store(i, schedule.round_keys[static_cast<unsigned>(direction)][i]);
    wipe(&schedule, sizeof schedule);
  }
  template <Direction direction>
  PHALANX_INLINE void prepare(std::uint8_t* shared) {
    aes.tables = {fill_aes_tables<direction, num_tables>(shared)};
  }
  /// Keys is GpuMessageKeys or TextKeys.
  template <Direction direction, class Keys>
  PHALANX_INLINE void crypt(const Keys& keys, std::size_t /*key_bytes*/, GpuBlock128& x) {
    aes_table_crypt<direction, num_rounds>(aes.tables, keys, x.word);
  }
  /// The key of a message whose text a warp crypts together: in registers, but for the rounds that counters have in common.
  struct TextKeys {
    static constexpr unsigned num_common = 3;

    GpuMessageKeys vectors;
    std::uint32_t held[num_rounds + 1 - num_common][4];

    explicit PHALANX_INLINE TextKeys(const GpuMessageKeys& keys) : vectors(keys) {
      PHALANX_UNROLL
      for (unsigned i = num_common; i < key_vectors; ++i) {
        const GpuMessageKeys::Vector vector = keys[i];
        for (unsigned j = 0; j < 4; ++j) held[i - num_common][j] = vector[j];
      }
    }
    PHALANX_INLINE GpuMessageKeys::Vector operator[](unsigned i) const {
      if (i < num_common) return vectors[i];
      const auto& words = held[i - num_common];
      return {{words[0], words[1], words[2], words[3]}};
    }
  };
  /// Where all lanes of the warp have neighbouring counters; forget_counters() before those of another key.
  PHALANX_INLINE void forget_counters() { aes.forget_counters(); }
  PHALANX_INLINE void encrypt_counters(const TextKeys& keys, std::uint64_t high, std::uint64_t low, GpuBlock128& x) {
    x = aes.first_rounds_of_counter(keys, high, low);
    aes_table_rounds<Direction::encrypt, num_rounds, 2>(aes.tables, keys, x.word);
  }
};

}  // namespace
}  // namespace phalanx

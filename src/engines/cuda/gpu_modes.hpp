// The divisible modes over a core, as a warp runs them. A range is cut into chunks of whole tiles, one chunk for each warp; a tile is
// 32 * blocks_per_thread blocks, of which lane l has the blocks l, l + 32, ...: every load and store of the warp is 32
// neighbouring blocks.
//
// A GPU core is a struct, one object a thread, with
//
//   static constexpr std::size_t block_bytes;              // 8 or 16
//   static constexpr unsigned blocks_per_thread;           // crypted at once: 32 where bitsliced
//   static constexpr unsigned threads_per_block;           // of a CUDA block: a multiple of 32
//   static constexpr unsigned resident_blocks;             // CUDA blocks that should fit a multiprocessor: bounds the registers
//   static constexpr unsigned grid_blocks;                 // CUDA blocks launched for each multiprocessor
//   static constexpr std::size_t shared_bytes;             // dynamic shared memory of a CUDA block
//   using Schedule;                                        // one expanded key: plain data, for both directions
//   static void expand_key(const uint8_t* key, size_t key_bytes, Schedule& schedule);             // PHALANX_INLINE
//
//   template <Direction direction>
//   void prepare(const Schedule& schedule, uint8_t* shared);              // all threads, once: fills shared memory, synchronises
//   template <Direction direction>
//   void crypt(const Schedule& schedule, GpuBlock<block_bytes / 4> x[blocks_per_thread]);         // PHALANX_INLINE
//   void encrypt_counters(const Schedule& schedule, uint64_t high, uint64_t low, GpuBlock x[]);   // optional: x[i] =
//       // the encrypted counter high:low + 32 i; a core that can do it in fewer steps than crypt
//   void finish(uint8_t* shared);                          // optional, all threads, last: wipes what is secret in shared memory
//
// A mode is a struct with the kernel's chunk and lane: load(tile, x) fills x with what goes into the cipher, store(tile, x) takes
// what came out. In place is allowed: within a tile every lane has loaded before any stores, and what the tile destroys
// but the next one needs is carried in registers; what the *neighbour's* chunk destroys was saved before (chunk_states).
#pragma once

#include <type_traits>

#include "ciphers/direction.hpp"
#include "engines/cuda/gpu_block.hpp"
#include "engines/cuda/gpu_range.hpp"

namespace phalanx {
namespace {

/// A range and how it is cut: what a kernel is given.
struct GpuJob {
  GpuRange range;
  std::uint64_t chunk_blocks;               ///< blocks of a chunk, whole tiles; the last one may have fewer
  bool aligned;                             ///< in and out both
  std::uint32_t chunk_power[16][4];         ///< XTS: alpha^(chunk_blocks * 2^k)
  std::uint64_t counter_high, counter_low;  ///< CTR: the iv as a number
};

/// A lane's place in a tile of a range.
struct GpuTile {
  std::uint64_t first;  ///< the lane's first block
  std::uint64_t last;   ///< the tile's last block
  std::uint64_t end;    ///< of the range, in blocks

  PHALANX_INLINE std::uint64_t block(unsigned i) const { return first + 32 * i; }
  PHALANX_INLINE bool is_full() const { return last < end; }
  PHALANX_INLINE bool has(unsigned i) const { return block(i) < end; }
  PHALANX_INLINE std::uint64_t last_in_range() const { return is_full() ? last : end - 1; }
};

PHALANX_INLINE void synchronize_warp() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#endif
}

/// What all modes do: loads and stores, guarded in the last tile of a range.
template <class Core>
struct GpuMode {
  static constexpr unsigned num_words = Core::block_bytes / 4;
  static constexpr unsigned num_blocks = Core::blocks_per_thread;
  using Block = GpuBlock<num_words>;

  const GpuJob& job;

  PHALANX_INLINE Block load_in(std::uint64_t block) const { return load_block<num_words>(job.range.in, block, job.aligned); }
  PHALANX_INLINE void load_tile(const GpuTile& tile, Block x[]) const {
    if (tile.is_full()) {
#pragma unroll
      for (unsigned i = 0; i < num_blocks; ++i) x[i] = load_in(tile.block(i));
    } else {
#pragma unroll
      for (unsigned i = 0; i < num_blocks; ++i) x[i] = tile.has(i) ? load_in(tile.block(i)) : Block{};
    }
  }
  /// out[block i] = result(i) for every block of the lane.
  template <class Result>
  PHALANX_INLINE void store_tile(const GpuTile& tile, Result result) const {
#pragma unroll
    for (unsigned i = 0; i < num_blocks; ++i) {
      if (tile.has(i)) store_block<num_words>(job.range.out, tile.block(i), result(i), job.aligned);
    }
  }
  /// The chaining state before a chunk: the ciphertext block before it.
  PHALANX_INLINE Block saved_block(std::uint64_t chunk) const {
    return load_block<num_words>(job.range.chunk_states + 16 * chunk, 0, true);
  }
};

/// SP 800-38A section 6.1.
template <class Core, Direction direction>
struct GpuEcb : GpuMode<Core> {
  static constexpr Direction cipher_direction = direction;
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuEcb(const GpuJob& job, std::uint64_t /*chunk*/, unsigned /*lane*/) : GpuMode<Core>{job} {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) { this->load_tile(tile, x); }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    this->store_tile(tile, [x](unsigned i) { return x[i]; });
  }
};

/// Section 6.2: P_j = D(C_j) ^ C_(j-1).
template <class Core>
struct GpuCbcDecrypt : GpuMode<Core> {
  static constexpr Direction cipher_direction = Direction::decrypt;
  static constexpr bool needs_saved_blocks = true;
  using Block = typename GpuMode<Core>::Block;
  Block before;  ///< the ciphertext block before the tile

  PHALANX_INLINE GpuCbcDecrypt(const GpuJob& job, std::uint64_t chunk, unsigned /*lane*/)
      : GpuMode<Core>{job}, before(this->saved_block(chunk)) {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) { this->load_tile(tile, x); }

  /// From the last block to the first, some at a time: in place, every ciphertext block is read before it is overwritten.
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    constexpr unsigned num_blocks = Core::blocks_per_thread;
    constexpr unsigned at_a_time = num_blocks < 8 ? num_blocks : 8;
    const Block last = this->load_in(tile.last_in_range());
#pragma unroll
    for (unsigned start = num_blocks; start != 0; start -= at_a_time) {
      Block previous[at_a_time];
#pragma unroll
      for (unsigned j = 0; j < at_a_time; ++j) {
        const unsigned i = start - at_a_time + j;
        const bool is_first = tile.block(i) == tile.last - (32 * num_blocks - 1);
        previous[j] = is_first ? before : tile.has(i) ? this->load_in(tile.block(i) - 1) : Block{};
      }
      synchronize_warp();
#pragma unroll
      for (unsigned j = 0; j < at_a_time; ++j) {
        const unsigned i = start - at_a_time + j;
        if (tile.has(i)) {
          store_block<GpuMode<Core>::num_words>(this->job.range.out, tile.block(i), x[i] ^ previous[j], this->job.aligned);
        }
      }
    }
    before = last;
    synchronize_warp();
  }
};

/// Section 6.3 with s = b: P_j = C_j ^ E(C_(j-1)).
template <class Core>
struct GpuCfbDecrypt : GpuMode<Core> {
  static constexpr Direction cipher_direction = Direction::encrypt;
  static constexpr bool needs_saved_blocks = true;
  using Block = typename GpuMode<Core>::Block;
  Block before;  ///< the ciphertext block before the tile

  PHALANX_INLINE GpuCfbDecrypt(const GpuJob& job, std::uint64_t chunk, unsigned /*lane*/)
      : GpuMode<Core>{job}, before(this->saved_block(chunk)) {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
    constexpr unsigned num_blocks = Core::blocks_per_thread;
#pragma unroll
    for (unsigned i = 0; i < num_blocks; ++i) {
      const bool is_first = tile.block(i) == tile.last - (32 * num_blocks - 1);
      x[i] = is_first ? before : tile.has(i) ? this->load_in(tile.block(i) - 1) : Block{};
    }
    before = this->load_in(tile.last_in_range());
    synchronize_warp();
  }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    this->store_tile(tile, [&](unsigned i) { return x[i] ^ this->load_in(tile.block(i)); });
    synchronize_warp();
  }
};

/// A core that makes the cipher of counters in fewer steps than crypt.
template <class Core>
concept EncryptsCounters = requires(Core core, const typename Core::Schedule& schedule, GpuBlock<Core::block_bytes / 4>* x) {
  core.encrypt_counters(schedule, 0, 0, x);
};

/// Section 6.5, the counters as in appendix B.1 with m = b: the whole block counts.
template <class Core>
struct GpuCtr : GpuMode<Core> {
  static constexpr Direction cipher_direction = Direction::encrypt;
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuCtr(const GpuJob& job, std::uint64_t /*chunk*/, unsigned /*lane*/) : GpuMode<Core>{job} {}

  /// The number of the lane's block i.
  PHALANX_INLINE std::uint64_t low(const GpuTile& tile, unsigned i) const { return this->job.counter_low + tile.block(i); }
  PHALANX_INLINE std::uint64_t high(std::uint64_t low) const {
    return this->job.counter_high + (low < this->job.counter_low ? 1 : 0);
  }
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
#pragma unroll
    for (unsigned i = 0; i < Core::blocks_per_thread; ++i) {
      const std::uint64_t number = low(tile, i);
      x[i] = counter_block<GpuMode<Core>::num_words>(high(number), number);
    }
  }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    this->store_tile(tile, [&](unsigned i) { return x[i] ^ this->load_in(tile.block(i)); });
  }
};

/// IEEE 1619 section 5.3.1: C = E(P ^ T) ^ T, then T times alpha. job.range.iv is T, already encrypted.
template <class Core, Direction direction>
struct GpuXts : GpuMode<Core> {
  static constexpr Direction cipher_direction = direction;
  using Block = typename GpuMode<Core>::Block;
  Block tweak;  ///< of the lane's first block

  PHALANX_INLINE GpuXts(const GpuJob& job, std::uint64_t chunk, unsigned lane)
      : GpuMode<Core>{job}, tweak(load_block<4>(job.range.iv, 0, false)) {
    for (unsigned k = 0; chunk >> k != 0; ++k) {
      if ((chunk >> k & 1) != 0) tweak = warp_product(tweak, job.chunk_power[k], lane);
    }
    tweak = times_alpha(tweak, lane);
  }
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
    this->load_tile(tile, x);
    Block t = tweak;
#pragma unroll
    for (unsigned i = 0; i < Core::blocks_per_thread; ++i, t = times_alpha_32(t)) x[i] = x[i] ^ t;
  }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    this->store_tile(tile, [&](unsigned i) {
      const Block masked = x[i] ^ tweak;
      tweak = times_alpha_32(tweak);
      return masked;
    });
  }
};

/// Runs a mode over one chunk: what a warp does, or, on the host, each of its lanes in turn.
template <class Core, class Mode>
PHALANX_INLINE void crypt_chunk(Core& core, const typename Core::Schedule& schedule, const GpuJob& job, std::uint64_t chunk,
                                unsigned lane) {
  constexpr std::uint64_t tile_blocks = 32 * Core::blocks_per_thread;
  const std::uint64_t start = chunk * job.chunk_blocks;
  if (start >= job.range.num_blocks) return;
  const std::uint64_t rest = job.range.num_blocks - start;
  const std::uint64_t stop = start + (rest < job.chunk_blocks ? rest : job.chunk_blocks);
  Mode mode(job, chunk, lane);
  for (std::uint64_t first = start; first < stop; first += tile_blocks) {
    const GpuTile tile{first + lane, first + tile_blocks - 1, job.range.num_blocks};
    typename Mode::Block x[Core::blocks_per_thread];
    if constexpr (std::is_same_v<Mode, GpuCtr<Core>> && EncryptsCounters<Core>) {
      const std::uint64_t number = mode.low(tile, 0);
      core.encrypt_counters(schedule, mode.high(number), number, x);
    } else {
      mode.load(tile, x);
      core.template crypt<Mode::cipher_direction>(schedule, x);
    }
    mode.store(tile, x);
  }
}

}  // namespace
}  // namespace phalanx

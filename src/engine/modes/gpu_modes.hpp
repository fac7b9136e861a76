// A warp runs the divisible modes over a core by these. A range is cut into shares of whole tiles, one share for each
// warp. A tile is 32 * blocks_per_thread blocks, and lane l has its blocks l, l + 32, ...: every load and store of the
// warp is 32 neighbouring blocks.
//
// A GPU core is a struct, one object a thread, with
//
//   static constexpr std::size_t block_bytes;              // 8 or 16
//   static constexpr unsigned blocks_per_thread;           // crypted at once: 32 where bitsliced
//   static constexpr unsigned threads_per_block;           // of a CUDA block: a multiple of 32
//   static constexpr unsigned resident_blocks;             // CUDA blocks that should fit a multiprocessor: bounds registers
//   static constexpr unsigned grid_blocks;                 // CUDA blocks launched for each multiprocessor
//   static constexpr std::size_t shared_bytes;             // dynamic shared memory of a CUDA block
//   using Schedule;                                        // one expanded key: plain data, for both directions
//   static void expand_key(const uint8_t* key, size_t key_bytes, Schedule& schedule);             // PHALANX_INLINE
//
//   template <Direction direction>
//   void prepare(const Schedule& schedule, uint8_t* shared);   // all threads, once: fills shared memory from a schedule in
//       // global memory, synchronises
//   template <Direction direction>
//   void crypt(const Schedule& schedule, GpuBlock<block_bytes / 4> x[blocks_per_thread]);         // PHALANX_INLINE
//   void encrypt_counters(const Schedule& schedule, uint64_t high, uint64_t low, GpuBlock x[]);   // optional: x[i] =
//       // the encrypted counter high:low + 32 i; a core that can do it in fewer steps than crypt. The lanes of a warp have
//       // neighbouring counters, and `high` stays from call to call, but for low's carry or after forget_counters()
//   void forget_counters();                                // where encrypt_counters needs it
//   void finish(uint8_t* shared);                          // optional, all threads, last: wipes secrets in shared memory
//
// A mode is a struct with the kernel's share and lane. load(tile, x) fills x with the input of the cipher, and
// store(tile, x) takes its output. In place is allowed, since within a tile every lane has loaded before any stores.
// Blocks that the tile destroys but the next one needs are carried in registers. Blocks that the *neighbour's* share
// destroys were saved before (share_states).
#pragma once

#include <type_traits>

#include "engine/modes/gpu_range.hpp"
#include "engine/modes/gpu_tweaks.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {
namespace {

/// A range and how it is cut: what a kernel is given.
struct GpuJob {
  GpuRange range;
  const void* schedule;                     ///< the expanded key in place, as global memory: for prepare
  std::uint64_t share_blocks;               ///< blocks of a share, whole tiles; the last one may have fewer
  std::uint32_t share_power[16][4];         ///< XTS: alpha^(share_blocks * 2^k)
  std::uint64_t counter_high, counter_low;  ///< CTR: the iv as a number
};

/// A lane has this place in a tile of a range.
struct GpuTile {
  std::uint64_t start;     ///< the tile's first block
  std::uint64_t first;     ///< the lane's first block
  std::uint64_t last;      ///< the tile's last block that the range has
  std::uint32_t num_left;  ///< blocks of the range from the lane's first one on, or 2^32 - 1
  bool is_full;

  static PHALANX_INLINE GpuTile at(std::uint64_t start, unsigned lane, std::uint64_t num_blocks, std::uint64_t end) {
    const std::uint64_t left = start + lane < end ? end - start - lane : 0;
    const bool full = num_blocks <= end - start;
    return {start, start + lane, (full ? start + num_blocks : end) - 1,
            left < 0xffffffffU ? static_cast<std::uint32_t>(left) : 0xffffffffU, full};
  }
  PHALANX_INLINE std::uint64_t block(unsigned i) const { return first + 32 * i; }
  template <bool full>
  PHALANX_INLINE bool has(unsigned i) const {
    return full || 32 * i < num_left;
  }
};

PHALANX_INLINE void synchronize_warp() {
#if defined(__CUDA_ARCH__)
  __syncwarp();
#endif
}

/// All modes load and store by these, guarded in the last tile of a range.
template <class Core>
struct GpuMode {
  static constexpr unsigned num_words = Core::block_bytes / 4;
  static constexpr unsigned num_blocks = Core::blocks_per_thread;
  using Block = GpuBlock<num_words>;

  const GpuJob& job;

  PHALANX_INLINE void store_out(std::uint64_t block, Block x) const {
    store_block<num_words>(job.range.out, block, x, true);
  }
  PHALANX_INLINE Block load_in(std::uint64_t block) const { return load_block<num_words>(job.range.in, block, true); }

  /// x[i] = load(i) for every block i of the lane that the range has, else zero.
  template <bool full, class Load>
  PHALANX_INLINE void load_blocks(const GpuTile& tile, Block x[], Load load) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < num_blocks; ++i) x[i] = tile.template has<full>(i) ? load(i) : Block{};
  }
  /// Stores x[i] ^ other(i) for every block i of the lane that the range has. It goes from the last to the first and
  /// some at a time, so that loads do not wait for one another. `ordered`: in place, other() sees the input before a
  /// neighbour overwrites it.
  template <bool full, bool ordered, class Other>
  PHALANX_INLINE void store_blocks(const GpuTile& tile, const Block x[], Other other) const {
    constexpr unsigned at_a_time = num_blocks < 8 ? num_blocks : 8;
    PHALANX_UNROLL
    for (unsigned start = num_blocks; start != 0; start -= at_a_time) {
      Block y[at_a_time];
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const unsigned i = start - at_a_time + j;
        y[j] = tile.template has<full>(i) ? other(i) : Block{};
      }
      if constexpr (ordered) synchronize_warp();
      PHALANX_UNROLL
      for (unsigned j = 0; j < at_a_time; ++j) {
        const unsigned i = start - at_a_time + j;
        if (tile.template has<full>(i)) store_out(tile.block(i), x[i] ^ y[j]);
      }
    }
  }
  template <class Load>
  PHALANX_INLINE void load_tile(const GpuTile& tile, Block x[], Load load) const {
    if (tile.is_full) {
      load_blocks<true>(tile, x, load);
    } else {
      load_blocks<false>(tile, x, load);
    }
  }
  template <bool ordered, class Other>
  PHALANX_INLINE void store_tile(const GpuTile& tile, const Block x[], Other other) const {
    if (tile.is_full) {
      store_blocks<true, ordered>(tile, x, other);
    } else {
      store_blocks<false, ordered>(tile, x, other);
    }
  }
  PHALANX_INLINE void load_input(const GpuTile& tile, Block x[]) const {
    load_tile(tile, x, [&](unsigned i) { return load_in(tile.block(i)); });
  }
  /// out = x
  PHALANX_INLINE void store_output(const GpuTile& tile, const Block x[]) const {
    store_tile<false>(tile, x, [](unsigned /*i*/) { return Block{}; });
  }
  /// out = x ^ in
  PHALANX_INLINE void store_added(const GpuTile& tile, const Block x[]) const {
    store_tile<false>(tile, x, [&](unsigned i) { return load_in(tile.block(i)); });
  }
};

/// SP 800-38A section 6.1.
template <class Core, Direction direction>
struct GpuEcb : GpuMode<Core> {
  static constexpr ModeStep step = step_of(Mode::ecb, direction);
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuEcb(const GpuJob& job_, std::uint64_t /*share*/, unsigned /*lane*/) : GpuMode<Core>{job_} {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) { this->load_input(tile, x); }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) { this->store_output(tile, x); }
};

/// CBC and CFB decryption both need the ciphertext block before each block.
template <class Core>
struct GpuChained : GpuMode<Core> {
  static constexpr bool needs_saved_blocks = true;
  using Block = typename GpuMode<Core>::Block;
  Block before;  ///< the ciphertext block before the tile

  PHALANX_INLINE GpuChained(const GpuJob& job_, std::uint64_t share)
      : GpuMode<Core>{job_}, before(load_block<GpuMode<Core>::num_words>(job_.range.share_states + 16 * share, 0, true)) {}

  PHALANX_INLINE Block previous(const GpuTile& tile, unsigned i) const {
    if (i == 0 && tile.first == tile.start) return before;
    return this->load_in(tile.block(i) - 1);
  }
};

/// Section 6.2 of SP 800-38A gives P_j = D(C_j) ^ C_(j-1).
template <class Core>
struct GpuCbcDecrypt : GpuChained<Core> {
  static constexpr ModeStep step = step_of(Mode::cbc, Direction::decrypt);
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuCbcDecrypt(const GpuJob& job_, std::uint64_t share, unsigned /*lane*/) : GpuChained<Core>(job_, share) {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) { this->load_input(tile, x); }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    const Block last = this->load_in(tile.last);
    this->template store_tile<true>(tile, x, [&](unsigned i) { return this->previous(tile, i); });
    this->before = last;
    synchronize_warp();
  }
};

/// Section 6.3 of SP 800-38A with s = b gives P_j = C_j ^ E(C_(j-1)).
template <class Core>
struct GpuCfbDecrypt : GpuChained<Core> {
  static constexpr ModeStep step = step_of(Mode::cfb, Direction::decrypt);
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuCfbDecrypt(const GpuJob& job_, std::uint64_t share, unsigned /*lane*/) : GpuChained<Core>(job_, share) {}
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
    this->load_tile(tile, x, [&](unsigned i) { return this->previous(tile, i); });
    this->before = this->load_in(tile.last);
    synchronize_warp();
  }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) {
    this->store_added(tile, x);
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
  static constexpr ModeStep step = step_of(Mode::ctr, Direction::encrypt);
  using Block = typename GpuMode<Core>::Block;

  PHALANX_INLINE GpuCtr(const GpuJob& job_, std::uint64_t /*share*/, unsigned /*lane*/) : GpuMode<Core>{job_} {}

  /// The number of the lane's block i.
  PHALANX_INLINE std::uint64_t low(const GpuTile& tile, unsigned i) const { return this->job.counter_low + tile.block(i); }
  PHALANX_INLINE std::uint64_t high(std::uint64_t low) const {
    return this->job.counter_high + (low < this->job.counter_low ? 1 : 0);
  }
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
    PHALANX_UNROLL
    for (unsigned i = 0; i < Core::blocks_per_thread; ++i) {
      const std::uint64_t number = low(tile, i);
      x[i] = counter_block<GpuMode<Core>::num_words>(high(number), number);
    }
  }
  PHALANX_INLINE void store(const GpuTile& tile, const Block x[]) { this->store_added(tile, x); }
};

/// IEEE 1619 section 5.3.1: C = E(P ^ T) ^ T, then T times alpha. job.range.iv is T, already encrypted.
template <class Core, Direction direction>
struct GpuXts : GpuMode<Core> {
  static constexpr ModeStep step = step_of(Mode::xts, direction);
  using Block = typename GpuMode<Core>::Block;
  Block tweak;  ///< of the lane's first block

  PHALANX_INLINE GpuXts(const GpuJob& job_, std::uint64_t share, unsigned lane)
      : GpuMode<Core>{job_}, tweak(load_block<4>(job_.range.iv, 0, false)) {
    for (unsigned k = 0; share >> k != 0; ++k) {
      if ((share >> k & 1) != 0) tweak = warp_product(tweak, job_.share_power[k], lane);
    }
    tweak = times_alpha(tweak, lane);
  }
  PHALANX_INLINE void load(const GpuTile& tile, Block x[]) {
    this->load_input(tile, x);
    add_tweaks(x);
  }
  PHALANX_INLINE void store(const GpuTile& tile, Block x[]) {
    tweak = add_tweaks(x);
    this->store_output(tile, x);
  }
  /// Adds the tweak of each block; returns that of the next tile.
  PHALANX_INLINE Block add_tweaks(Block x[]) const {
    Block t = tweak;
    PHALANX_UNROLL
    for (unsigned i = 0; i < Core::blocks_per_thread; ++i, t = times_alpha_32(t)) x[i] = x[i] ^ t;
    return t;
  }
};

/// Runs a mode over one share: what a warp does, or, on the host, each of its lanes in turn.
template <class Core, class ModeType>
PHALANX_INLINE void crypt_share(Core& core, const typename Core::Schedule& schedule, const GpuJob& job, std::uint64_t share,
                                unsigned lane) {
  constexpr std::uint64_t tile_blocks = 32 * Core::blocks_per_thread;
  const std::uint64_t start = share * job.share_blocks;
  if (start >= job.range.num_blocks) return;
  const std::uint64_t rest = job.range.num_blocks - start;
  const std::uint64_t stop = start + (rest < job.share_blocks ? rest : job.share_blocks);
  ModeType mode(job, share, lane);
  for (std::uint64_t first = start; first < stop; first += tile_blocks) {
    const GpuTile tile = GpuTile::at(first, lane, tile_blocks, job.range.num_blocks);
    typename ModeType::Block x[Core::blocks_per_thread];
    if constexpr (std::is_same_v<ModeType, GpuCtr<Core>> && EncryptsCounters<Core>) {
      const std::uint64_t number = mode.low(tile, 0);
      core.encrypt_counters(schedule, mode.high(number), number, x);
    } else {
      mode.load(tile, x);
      core.template crypt<ModeType::step.cipher_direction>(schedule, x);
    }
    mode.store(tile, x);
  }
}

}  // namespace
}  // namespace phalanx

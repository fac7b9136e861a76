// The divisible modes over a core that has one block a thread: a block goes through every mode as out = cipher(x) ^ mask,
// with x and mask made from the block read. The next block is read while this one is crypted; and the ciphertext block
// before it, which CBC and CFB need, is handed over by the neighbouring lane, so that nothing is read twice and a share can
// be crypted in place.
#pragma once

#include "engine/modes/gpu_modes.hpp"

namespace phalanx {
namespace {

/// A lane's next block on its way through a mode.
template <class Block>
struct GpuStep {
  Block x;     ///< goes into the cipher
  Block mask;  ///< is added to what comes out
};

/// Lane l gets the value of lane l - 1, lane 0 that of lane 31.
template <class Block>
PHALANX_INLINE Block from_lane_before(Block x, unsigned lane) {
#if defined(__CUDA_ARCH__)
  PHALANX_UNROLL
  for (unsigned i = 0; i < sizeof(Block) / 4; ++i) x.word[i] = __shfl_sync(0xffffffff, x.word[i], (lane + 31) % 32);
#else
  (void)lane;
#endif
  return x;
}

/// The ciphertext block before the lane's block `in`. `before` is that of lane 0; then that of its next block.
template <class Core>
PHALANX_INLINE GpuBlock<Core::block_bytes / 4> take_previous(GpuChained<Core>& mode, const GpuTile& tile, unsigned lane,
                                                             GpuBlock<Core::block_bytes / 4> in) {
#if defined(__CUDA_ARCH__)
  (void)tile;
  const auto neighbour = from_lane_before(in, lane);
  const auto previous = lane == 0 ? mode.before : neighbour;
  mode.before = neighbour;
  return previous;
#else  // the lanes run one after another
  (void)in;
  (void)lane;
  const auto previous = tile.has<false>(0) ? mode.previous(tile, 0) : GpuBlock<Core::block_bytes / 4>{};
  mode.before = mode.load_in(tile.last);
  return previous;
#endif
}

/// The chaining state before the lane's block `in`, by how it follows from block to block; the mode moves on by a tile.
template <class Core, Direction direction>
PHALANX_INLINE GpuBlock<Core::block_bytes / 4> take_chain(GpuEcb<Core, direction>& /*mode*/, const GpuTile& /*tile*/,
                                                          unsigned /*lane*/, GpuBlock<Core::block_bytes / 4> /*in*/) {
  return {};
}
template <class Core>
PHALANX_INLINE GpuBlock<Core::block_bytes / 4> take_chain(GpuChained<Core>& mode, const GpuTile& tile, unsigned lane,
                                                          GpuBlock<Core::block_bytes / 4> in) {
  return take_previous<Core>(mode, tile, lane, in);
}
template <class Core>
PHALANX_INLINE GpuBlock<Core::block_bytes / 4> take_chain(GpuCtr<Core>& mode, const GpuTile& tile, unsigned /*lane*/,
                                                          GpuBlock<Core::block_bytes / 4> /*in*/) {
  const std::uint64_t number = mode.low(tile, 0);
  return counter_block<Core::block_bytes / 4>(mode.high(number), number);
}
template <class Core, Direction direction>
PHALANX_INLINE GpuBlock128 take_chain(GpuXts<Core, direction>& mode, const GpuTile& /*tile*/, unsigned /*lane*/,
                                      GpuBlock128 /*in*/) {
  const GpuBlock128 tweak = mode.tweak;
  mode.tweak = times_alpha_32(tweak);
  return tweak;
}

/// By ModeStep.
template <class ModeType, class Block>
PHALANX_INLINE GpuStep<Block> take_step(ModeType& mode, const GpuTile& tile, unsigned lane, Block in) {
  constexpr ModeStep step = ModeType::step;
  const Block chain = take_chain(mode, tile, lane, in);
  GpuStep<Block> taken{in, Block{}};
  if constexpr (step.takes_chain) taken.x = step.takes_input ? in ^ chain : chain;
  if constexpr (step.adds_input) taken.mask = in;
  if constexpr (step.adds_chain) taken.mask = chain;
  return taken;
}

/// crypt_share for such a core.
template <class Core, class ModeType>
PHALANX_INLINE void crypt_share_by_block(Core& core, const typename Core::Schedule& schedule, const GpuJob& job,
                                         std::uint64_t share, unsigned lane) {
  static_assert(Core::blocks_per_thread == 1);
  using Block = typename ModeType::Block;
  const std::uint64_t start = share * job.share_blocks;
  const std::uint64_t end = job.range.num_blocks;
  if (start >= end) return;
  const std::uint64_t stop = end - start < job.share_blocks ? end : start + job.share_blocks;
  ModeType mode(job, share, lane);
  Block next = start + lane < stop ? mode.load_in(start + lane) : Block{};
  for (std::uint64_t first = start; first < stop; first += 32) {
    const GpuTile tile = GpuTile::at(first, lane, 32, end);
    const Block in = next;
    if (first + 32 + lane < stop) next = mode.load_in(tile.first + 32);
    GpuStep<Block> step = take_step(mode, tile, lane, in);
    if constexpr (std::is_same_v<ModeType, GpuCtr<Core>> && EncryptsCounters<Core>) {
      const std::uint64_t number = mode.low(tile, 0);
      core.encrypt_counters(schedule, mode.high(number), number, &step.x);
    } else {
      core.template crypt<ModeType::step.cipher_direction>(schedule, &step.x);
    }
    if (tile.first < stop) mode.store_out(tile.first, step.x ^ step.mask);
  }
}

}  // namespace
}  // namespace phalanx

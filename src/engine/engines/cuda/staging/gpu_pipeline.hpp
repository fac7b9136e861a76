// Data of the host through one GPU: copied in, crypted, hashed, copied out, in shares that overlap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/engines/cuda/gpu_device.hpp"

namespace phalanx {

/// An expanded hash key in a device's memory, with the state of one hash.
struct GpuHashState {
  const void* key;      ///< see gpu_hash.hpp
  std::uint8_t* state;  ///< 32 bytes of device memory
};

/// A range that lies in the host's memory.
struct GpuWork {
  Mode mode;
  Direction direction;
  const std::uint8_t* in;
  std::uint8_t* out;  ///< nullptr: the data are only hashed, as they are
  std::size_t block_bytes;
  std::size_t num_blocks;
  std::size_t share_blocks;            ///< of every share but the last
  std::span<const ChainBlock> states;  ///< before each share; empty: only hashed
  const GpuHashState* hash;            ///< hashes what comes out, in order; nullptr: nothing is hashed
  int num_threads;                     ///< for copies in the host's memory; 0: all

  /// Blocks of a share: so many shares that copies both ways and kernels overlap, each worth its start, and no larger than a
  /// staging buffer.
  static std::size_t share_blocks_of(std::size_t block_bytes, std::size_t num_blocks) {
    constexpr std::size_t unit = std::size_t{1} << 20;
    constexpr std::size_t wanted_shares = 16;
    const std::size_t units = (num_blocks * block_bytes + wanted_shares * unit - 1) / (wanted_shares * unit);
    return std::clamp(units * unit, unit, GpuDevice::slot_bytes) / block_bytes;
  }
};

/// Runs the shares [first, last) of the work on the key's device and waits for them; `key` is nullptr where data are only
/// hashed. Memory of the host that is page-locked is copied from and to directly. Throws Error (runtime) if the GPU fails;
/// what was written to `out` by then is right unless it is page-locked, where it is of any content.
void run_on_gpu(GpuDevice& device, const GpuKey* key, const GpuWork& work, std::size_t first, std::size_t last);

}  // namespace phalanx

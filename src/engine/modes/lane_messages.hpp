// Many messages side by side: what a kernel's functions for batches take (engine/modes/lane_modes.hpp,
// engine/modes/packed_ranges.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// The messages that the lanes of a group follow. in[j] and out[j], the same memory or disjoint, are where lane j goes on;
/// num_blocks[j] whole blocks are left there.
struct LaneMessages {
  const std::uint8_t* const* in;
  std::uint8_t* const* out;
  const std::size_t* num_blocks;
  std::size_t num_lanes;  ///< lanes 0 to num_lanes - 1 are in use
};

/// One message of whole blocks; `iv` is the chaining state before and after, as for RangeFunction
/// (engine/engines/cpu/kernel.hpp).
struct MessageBlocks {
  std::uint8_t* iv;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t num_blocks;
};

}  // namespace phalanx

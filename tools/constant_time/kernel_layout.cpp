// Where the functions of a kernel's table lie, and the fields of what they are given: compiled, never linked. kernel_tables.py reads
// the rows from the object.
#include <cstddef>

#include "engine/engines/cpu/kernel.hpp"

struct KernelLayoutRow {
  char name[40];
  std::size_t offset;
  std::size_t num_bytes;
};

#define PHALANX_ROW(type, member) \
  { #type "." #member, offsetof(phalanx::type, member), sizeof(phalanx::type::member) }

extern const KernelLayoutRow kernel_layout[];
const KernelLayoutRow kernel_layout[] = {
    PHALANX_ROW(Kernel, serial_blocks),
    PHALANX_ROW(Kernel, lanes),
    PHALANX_ROW(Kernel, key_lanes),
    PHALANX_ROW(Kernel, expand_key),
    PHALANX_ROW(Kernel, range),
    PHALANX_ROW(Kernel, gcm),
    PHALANX_ROW(Kernel, gcm_seal),
    PHALANX_ROW(Kernel, gcm_open),
    PHALANX_ROW(Kernel, expand_lane_keys),
    PHALANX_ROW(Kernel, set_lane),
    PHALANX_ROW(Kernel, packed),
    PHALANX_ROW(Kernel, multi_buffer),
    PHALANX_ROW(Kernel, multi_key),
    PHALANX_ROW(GhashKernel, expand_key),
    PHALANX_ROW(GhashKernel, update),
    PHALANX_ROW(LaneMessages, in),
    PHALANX_ROW(LaneMessages, out),
    PHALANX_ROW(LaneMessages, num_blocks),
    PHALANX_ROW(AeadText, nonce),
    PHALANX_ROW(MessageBlocks, iv),
    {"LaneMessages", 0, sizeof(phalanx::LaneMessages)},
    {"AeadText", 0, sizeof(phalanx::AeadText)},
    {"MessageBlocks", 0, sizeof(phalanx::MessageBlocks)},
    {"Mode.ctr", static_cast<std::size_t>(phalanx::Mode::ctr), phalanx::num_range_modes},
    {"Direction", 0, phalanx::num_directions},
};

// What a kernel's functions (kernel_table.hpp, batch_table.hpp) share of their core.
#pragma once

#include "ciphers/block_core.hpp"
#include "secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

template <class Core>
const typename Core::Schedule& schedule_of(const void* schedule) {
  return *static_cast<const typename Core::Schedule*>(schedule);
}

/// Core::round_stack_bytes.
template <class Core>
constexpr std::size_t round_stack_bytes_of() {
  if constexpr (requires { Core::round_stack_bytes; }) return Core::round_stack_bytes;
  return 0;
}

/// Core::round_stack_bytes of crypt_lanes: Core::lane_round_stack_bytes if it is another.
template <class Core>
constexpr std::size_t lane_round_stack_bytes_of() {
  if constexpr (requires { Core::lane_round_stack_bytes; }) return Core::lane_round_stack_bytes;
  return round_stack_bytes_of<Core>();
}

/// Core::clean_blocks.
template <class Core>
constexpr std::size_t clean_blocks_of() {
  if constexpr (requires { Core::clean_blocks; }) return Core::clean_blocks;
  return 0;
}

/// Kernel::serial_blocks of the core's kernel.
template <class Core>
std::size_t tuned_serial_blocks = Core::serial_blocks;

template <class Core>
std::size_t serial_blocks_of() {
  return __atomic_load_n(&tuned_serial_blocks<Core>, __ATOMIC_RELAXED);
}

}  // namespace
}  // namespace phalanx

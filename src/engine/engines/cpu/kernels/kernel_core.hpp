// What a kernel's functions (kernel_table.hpp, batch_table.hpp) share of their core.
#pragma once

#include "engine/ciphers/block_core.hpp"
#include "engine/secrets/stack_wipe.hpp"

namespace phalanx {
namespace {

template <class Core>
const typename Core::Schedule& schedule_of(const void* schedule) {
  return *static_cast<const typename Core::Schedule*>(schedule);
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

// Memory of the host that the GPUs of this process copy from and to without a staging buffer between.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/engines/keyed_aead.hpp"

namespace phalanx {

/// Locks the pages of `memory` in their place, for all GPUs. nullptr for little memory, which is copied sooner, and where
/// the system refuses. The device is the current one.
std::unique_ptr<PageLock> lock_host_pages(MutableBytes memory);

/// Whether all of it lies in memory that one such lock holds.
bool lies_in_locked_pages(const std::uint8_t* begin, std::size_t num_bytes);

}  // namespace phalanx

// The few calls of the CUDA runtime that the package makes itself; where the build has no CUDA, they throw.
#pragma once

#include <cstddef>

namespace phalanx {

/// All throw Error (runtime). `stream` is a cudaStream_t.
[[nodiscard]] void* allocate_device_memory(std::size_t num_bytes, int device);
/// Waits for the device's work before.
void free_device_memory(void* memory, int device) noexcept;
/// The device whose memory it is; the current one for null.
[[nodiscard]] int device_of(const void* memory);
/// What is enqueued on `after` from now on waits for what is on `before`.
void order_streams(void* before, void* after, int device);
/// Waits for all work of all devices that were used.
void wait_for_devices() noexcept;

}  // namespace phalanx

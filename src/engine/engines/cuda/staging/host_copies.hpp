// Copies in the host's memory, to and from what a GPU can reach.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// Copies on several threads (0: all): one alone is slower than the link to the GPU.
void copy_on_host(int num_threads, std::uint8_t* to, const std::uint8_t* from, std::size_t num_bytes);

/// Whether a GPU copies from and to it directly. Throws Error (runtime).
[[nodiscard]] bool is_page_locked(const void* memory);

}  // namespace phalanx

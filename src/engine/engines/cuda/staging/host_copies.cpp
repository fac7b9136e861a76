#include "engine/engines/cuda/staging/host_copies.hpp"

#include <algorithm>
#include <cstring>

#include "engine/engines/cuda/cuda_memory.hpp"
#include "engine/threads/threads.hpp"

namespace phalanx {

void copy_on_host(int num_threads, std::uint8_t* to, const std::uint8_t* from, std::size_t num_bytes) {
  constexpr std::size_t step = std::size_t{512} << 10;
  run_parallel(num_threads, (num_bytes + step - 1) / step, [&](std::size_t first, std::size_t last) {
    const std::size_t end = std::min(last * step, num_bytes);
    std::memcpy(to + first * step, from + first * step, end - first * step);
  });
}

bool is_page_locked(const void* memory) {
  cudaPointerAttributes attributes;
  check_cuda(cudaPointerGetAttributes(&attributes, memory), "asking for the kind of memory");
  return attributes.type == cudaMemoryTypeHost;
}

}  // namespace phalanx

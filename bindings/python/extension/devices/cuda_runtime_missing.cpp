// Where the build has no CUDA.
#include <phalanx/error.hpp>

#include "devices/cuda_runtime_calls.hpp"

namespace phalanx {
namespace {

[[noreturn]] void fail() { throw Error(ErrorCode::runtime, "this build has no CUDA: it was made where there was no nvcc"); }

}  // namespace

void* allocate_device_memory(std::size_t /*num_bytes*/, int /*device*/) { fail(); }
void free_device_memory(void* /*memory*/, int /*device*/) noexcept {}
int device_of(const void* /*memory*/) { fail(); }
void order_streams(void* /*before*/, void* /*after*/, int /*device*/) { fail(); }
void wait_for_devices() noexcept {}

}  // namespace phalanx

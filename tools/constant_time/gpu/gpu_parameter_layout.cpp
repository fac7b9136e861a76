// Prints where members of kernels' parameters lie, for kernel_parameters.py: type, member, offset, bytes.
#include <cstddef>
#include <cstdio>

#include "modes/device_gcm/gcm_arrays.hpp"
#include "modes/gpu_modes.hpp"

namespace phalanx {
namespace {

#define SHOW(Type, member) std::printf("%s %s %zu %zu\n", #Type, #member, offsetof(Type, member), sizeof(Type{}.member))

void show_layout() {
  SHOW(GpuBatch, messages);
  SHOW(GpuJob, range.iv);
  SHOW(DeviceGcmJob, arrays.in_offsets);
  SHOW(DeviceGcmJob, arrays.out_offsets);
  SHOW(DeviceGcmJob, arrays.lengths);
  SHOW(DeviceGcmJob, arrays.associated_offsets);
  SHOW(DeviceGcmJob, arrays.nonces);
  SHOW(DeviceGcmJob, messages);
  SHOW(DeviceGcmJob, crypt_starts.in_group);
  SHOW(DeviceGcmJob, crypt_starts.of_group);
  SHOW(DeviceGcmJob, hash_starts.in_group);
  SHOW(DeviceGcmJob, hash_starts.of_group);
  SHOW(DeviceGcmJob, verdicts);
  SHOW(DeviceGcmJob, num_misplaced);
  SHOW(DeviceGcmJob, all_authentic);
}

}  // namespace
}  // namespace phalanx

int main() { phalanx::show_layout(); }

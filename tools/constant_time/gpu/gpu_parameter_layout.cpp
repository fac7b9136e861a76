// Prints where members of kernels' parameters lie, for kernel_parameters.py: type, member, offset, bytes.
#include <cstddef>
#include <cstdio>

#include "engine/engines/device_uploads.hpp"
#include "engine/modes/device_batches/device_pieces.hpp"
#include "engine/modes/gpu_modes.hpp"

namespace phalanx {
namespace {

#define SHOW(Type, member) std::printf("%s %s %zu %zu\n", #Type, #member, offsetof(Type, member), sizeof(Type{}.member))

void show_layout() {
  SHOW(GpuBatch, messages);
  SHOW(GpuBatch, owners);
  SHOW(GpuBatch, rests);
  SHOW(GpuJob, range.iv);
  SHOW(DeviceBatchJob, arrays.in_offsets);
  SHOW(DeviceBatchJob, arrays.out_offsets);
  SHOW(DeviceBatchJob, arrays.lengths);
  SHOW(DeviceBatchJob, arrays.associated_offsets);
  SHOW(DeviceBatchJob, arrays.nonces);
  SHOW(DeviceBatchJob, messages);
  SHOW(DeviceBatchJob, crypt_starts.in_group);
  SHOW(DeviceBatchJob, crypt_starts.of_group);
  SHOW(DeviceBatchJob, hash_starts.in_group);
  SHOW(DeviceBatchJob, hash_starts.of_group);
  SHOW(DeviceBatchJob, verdicts);
  SHOW(DeviceBatchJob, num_misplaced);
  SHOW(DeviceBatchJob, all_authentic);
  SHOW(DevicePiecesJob, job.arrays.in_offsets);
  SHOW(DevicePiecesJob, job.arrays.out_offsets);
  SHOW(DevicePiecesJob, job.arrays.lengths);
  SHOW(DevicePiecesJob, job.arrays.nonces);
  SHOW(DevicePiecesJob, job.messages);
  SHOW(DevicePiecesJob, job.crypt_starts.in_group);
  SHOW(DevicePiecesJob, job.crypt_starts.of_group);
  SHOW(DevicePiecesJob, job.verdicts);
  SHOW(DevicePiecesJob, job.num_misplaced);
  SHOW(DevicePiecesJob, job.all_authentic);
  SHOW(DevicePiecesJob, pieces);
  SHOW(DevicePiecesJob, tweak_messages);
  SHOW(DevicePiecesJob, owners);
  SHOW(DevicePiecesJob, rests);
  SHOW(GpuSectorArrays, numbers);
  SHOW(GpuSectorArrays, offsets);
  SHOW(ScatterWrites, starts);
  SHOW(ScatterWrites, offsets);
}

}  // namespace
}  // namespace phalanx

int main() { phalanx::show_layout(); }

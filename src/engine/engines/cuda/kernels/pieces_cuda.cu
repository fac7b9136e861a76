// What batches of a bare cipher in a GPU's memory need beside it: verdicts, pieces, and the arrays of sectors.
#include "engine/engines/cuda/gpu_pieces.hpp"
#include "engine/engines/cuda/kernels/device_limits.hpp"

namespace phalanx {
namespace {

constexpr unsigned block_threads = 128;

__device__ std::uint64_t thread_number() { return blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; }

__global__ void judge_messages_kernel(const __grid_constant__ DevicePiecesJob call) {
  if (thread_number() < call.job.arrays.num_messages) judge_message(call, thread_number());
}

__global__ void cut_pieces_kernel(const __grid_constant__ DevicePiecesJob call) {
  if (thread_number() < call.num_pieces) cut_piece(call, thread_number());
}

__global__ void widen_keys_kernel(const std::uint8_t* keys, std::uint8_t* wide, std::uint64_t count) {
  const std::uint64_t i = thread_number();
  if (i >= count) return;
  for (unsigned j = 0; j < 3; ++j) store_block<2>(wide, 3 * i + j, load_block<2>(keys, 2 * i + j % 2, true), true);
}

__global__ void write_sector_arrays_kernel(const __grid_constant__ GpuSectorArrays sectors) {
  const std::uint64_t i = thread_number();
  if (i > sectors.count) return;
  sectors.offsets[i] = i == sectors.count ? sectors.num_bytes : i * sectors.sector_bytes;
  if (i == sectors.count) return;
  const std::uint64_t number =
      sectors.numbers != nullptr ? sectors.numbers[i] : sectors.first_tweak + i * sectors.tweak_step;
  const GpuBlock128 tweak{{static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), 0, 0}};
  store_block<4>(sectors.ivs, i, tweak, true);
}

unsigned blocks_for(std::uint64_t num_threads) { return static_cast<unsigned>(divide_up(num_threads, block_threads)); }

}  // namespace

cudaError_t judge_gpu_messages(const DevicePiecesJob& call, cudaStream_t stream) {
  judge_messages_kernel<<<blocks_for(call.job.arrays.num_messages), block_threads, 0, stream>>>(call);
  return cudaGetLastError();
}

cudaError_t cut_gpu_pieces(const DevicePiecesJob& call, cudaStream_t stream) {
  cut_pieces_kernel<<<blocks_for(call.num_pieces), block_threads, 0, stream>>>(call);
  return cudaGetLastError();
}

cudaError_t widen_gpu_keys(const std::uint8_t* keys, std::uint8_t* wide, std::uint64_t count, cudaStream_t stream) {
  widen_keys_kernel<<<blocks_for(count), block_threads, 0, stream>>>(keys, wide, count);
  return cudaGetLastError();
}

cudaError_t write_gpu_sector_arrays(const GpuSectorArrays& sectors, cudaStream_t stream) {
  write_sector_arrays_kernel<<<blocks_for(sectors.count + 1), block_threads, 0, stream>>>(sectors);
  return cudaGetLastError();
}

}  // namespace phalanx

// DES, double DES and triple DES on a GPU.
#include "engines/cuda/gpu_des.hpp"
#include "engines/cuda/gpu_des_batch.hpp"
#include "engines/cuda/range_kernel.hpp"

namespace phalanx {
namespace {

__constant__ GpuDesSchedule current_key;

struct CurrentKey {
  static __device__ const GpuDesSchedule& schedule() { return current_key; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
};

/// The messages of this thread, one in each lane of a warp's words.
PHALANX_INLINE std::uint64_t first_message(std::uint64_t thread) { return thread / 32 * 1024 + thread % 32; }

/// `chains`: CBC encryption.
template <bool chains, class Keys>
__device__ void crypt_messages(const GpuBatch& batch, std::uint64_t first, GpuDesStep step, const Keys& keys) {
  if constexpr (chains) {
    encrypt_des_chains(batch, first, keys);
  } else {
    crypt_des_messages(batch, first, step, keys);
  }
}

constexpr unsigned batch_threads = 256;

template <bool chains>
__global__ void __launch_bounds__(batch_threads, 2)
    crypt_batch_kernel(const __grid_constant__ GpuBatch batch, GpuDesStep step) {
  const std::uint64_t thread = blockIdx.x * std::uint64_t{batch_threads} + threadIdx.x;
  const GpuDesKeys& keys = current_key.keys[static_cast<unsigned>(step.cipher_direction)];
  crypt_messages<chains>(batch, first_message(thread), step, GpuDes::SharedKeys{keys, current_key.num_passes});
}

template <unsigned num_threads>
__constant__ GpuDesPlaneOffsets<num_threads> plane_offsets = make_plane_offsets<num_threads>();

/// A key for each message, in shared memory: num_threads * num_passes * 256 bytes.
template <unsigned num_threads, bool chains>
__global__ void __launch_bounds__(num_threads)
    crypt_keyed_batch_kernel(const __grid_constant__ GpuBatch batch, GpuDesStep step) {
  extern __shared__ std::uint32_t key_planes[];
  const std::uint64_t first = first_message(blockIdx.x * std::uint64_t{num_threads} + threadIdx.x);
  const auto num_passes = static_cast<unsigned>(batch.key_bytes / 8);
  const GpuDesLaneKeys<num_threads> keys{
      {key_planes + threadIdx.x}, plane_offsets<num_threads>, num_passes, step.cipher_direction};
  keys.planes.load(num_passes, [&](unsigned i) -> const std::uint8_t* {
    const std::uint64_t s = first + 32 * i;
    return s < batch.num_streams ? batch.keys + s * batch.key_bytes : nullptr;
  });
  crypt_messages<chains>(batch, first, step, keys);
  keys.planes.wipe_planes(num_passes);
}

template <unsigned num_threads, bool chains>
cudaError_t launch_keyed_batch(const GpuBatch& batch, GpuDesStep step, cudaStream_t stream) {
  const std::size_t shared_bytes = num_threads * 32 * batch.key_bytes;
  const cudaError_t error =
      allow_shared_memory(reinterpret_cast<const void*>(crypt_keyed_batch_kernel<num_threads, chains>), shared_bytes);
  if (error != cudaSuccess) return error;
  const auto num_blocks = static_cast<unsigned>(divide_up(batch.num_streams, std::uint64_t{32} * num_threads));
  crypt_keyed_batch_kernel<num_threads, chains><<<num_blocks, num_threads, shared_bytes, stream>>>(batch, step);
  return cudaGetLastError();
}

template <Mode mode, Direction direction>
cudaError_t launch_batch(const GpuBatch& batch, cudaStream_t stream) {
  constexpr bool chains = mode == Mode::cbc && direction == Direction::encrypt;
  constexpr GpuDesStep step = GpuDesStep::of(mode, direction);
  if (batch.num_streams == 0) return cudaSuccess;
  if (batch.keys == nullptr) {
    const auto num_blocks = static_cast<unsigned>(divide_up(batch.num_streams, std::uint64_t{32} * batch_threads));
    crypt_batch_kernel<chains><<<num_blocks, batch_threads, 0, stream>>>(batch, step);
    return cudaGetLastError();
  }
  bool has_room = false;
  const cudaError_t error = has_shared_memory(std::size_t{256} * 32 * batch.key_bytes, has_room);
  if (error != cudaSuccess) return error;
  return has_room ? launch_keyed_batch<256, chains>(batch, step, stream)
                  : launch_keyed_batch<64, chains>(batch, step, stream);
}

template <Mode mode>
constexpr void set_batch(GpuKernel& kernel) {
  kernel.batch[static_cast<unsigned>(mode)][0] = launch_batch<mode, Direction::encrypt>;
  kernel.batch[static_cast<unsigned>(mode)][1] = launch_batch<mode, Direction::decrypt>;
}

constexpr GpuKernel make_des_kernel() {
  GpuKernel kernel = make_gpu_kernel<GpuDes, CurrentKey>();
  set_batch<Mode::ecb>(kernel);
  set_batch<Mode::cbc>(kernel);
  set_batch<Mode::ctr>(kernel);
  set_batch<Mode::cfb>(kernel);
  set_batch<Mode::ofb>(kernel);
  kernel.batch_scratch_bytes = [](std::uint64_t /*num_streams*/) { return std::size_t{0}; };
  return kernel;
}

}  // namespace

constexpr GpuKernel des_gpu_kernel = make_des_kernel();

}  // namespace phalanx

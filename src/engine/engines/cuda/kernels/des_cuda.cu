// DES, double DES and triple DES on a GPU.
#include <algorithm>

#include "engine/ciphers/des/gpu_des.hpp"
#include "engine/ciphers/des/gpu_des_tables.hpp"
#include "engine/engines/cuda/kernels/batch_kernel.hpp"
#include "engine/engines/cuda/kernels/gpu_des_batch.hpp"
#include "engine/engines/cuda/kernels/range_kernel.hpp"

namespace phalanx {
namespace {

__constant__ GpuDesSchedule current_key;

struct CurrentKey {
  using Schedule = GpuDesSchedule;
  static __device__ const GpuDesSchedule& schedule() { return current_key; }
  static cudaError_t address(void** address) { return cudaGetSymbolAddress(address, current_key); }
};

constexpr unsigned most_batch_threads = 256;

PHALANX_INLINE GpuDesMessages messages_of_warp(const GpuBatch& batch) {
  const std::uint64_t warp = blockIdx.x * std::uint64_t{blockDim.x / 32} + threadIdx.x / 32;
  return GpuDesMessages(batch, GpuDesMessages::share_of_warp(batch.num_messages), warp, threadIdx.x % 32);
}

// The bitsliced kernels, for many messages.
// `current`: the expanded key in place, as global memory.
template <bool anywhere, class Steps>
__global__ void __launch_bounds__(most_batch_threads, 1)
    crypt_sliced_batch_kernel(const __grid_constant__ GpuBatch batch, Steps steps, Direction direction,
                              const GpuDesSchedule* current) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  GpuDes core{};
  direction == Direction::encrypt ? core.prepare<Direction::encrypt>(*current, shared)
                                  : core.prepare<Direction::decrypt>(*current, shared);
  crypt_des_messages<anywhere>(messages_of_warp(batch), steps, GpuDesSharedKeys{*core.keys, current_key.num_passes});
  core.finish(shared);
}

__constant__ GpuDesKeySchedule key_schedule = make_key_schedule();

// A key for each message, in shared memory.
template <bool anywhere, class Steps>
__global__ void __launch_bounds__(most_batch_threads, 1)
    crypt_keyed_sliced_batch_kernel(const __grid_constant__ GpuBatch batch, Steps steps, Direction direction) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const GpuDesMessages messages = messages_of_warp(batch);
  if (messages.num_messages == 0) return;
  const auto num_passes = static_cast<unsigned>(batch.key_bytes / 8);
  std::uint8_t* const of_warp = shared + threadIdx.x / 32 * GpuDesKeyPlanes::warp_bytes_per_pass * num_passes;
  const GpuDesLaneKeys keys{{of_warp + threadIdx.x % 32 * sizeof(GpuBlock64)}, key_schedule, num_passes, direction};
  keys.planes.load(num_passes, key_schedule, direction, [&](unsigned i) -> const std::uint8_t* {
    const std::uint64_t message = messages.first + messages.present(messages.own(i));
    if constexpr (anywhere) return batch.key(batch.key_of(message));
    return batch.keys + message * batch.key_bytes;
  });
  crypt_des_messages<anywhere>(messages, steps, keys);
  keys.planes.wipe_planes(num_passes);
}

// Spreads the warps over all multiprocessors before any of them gets a second one.
cudaError_t count_block_warps(std::uint64_t num_warps, std::size_t shared_bytes_per_warp, unsigned& block_warps) {
  DeviceLimits limits{};
  const cudaError_t error = find_limits(limits);
  if (error != cudaSuccess) return error;
  std::uint64_t most = most_batch_threads / 32;
  if (shared_bytes_per_warp != 0) most = std::min<std::uint64_t>(most, limits.shared_bytes / shared_bytes_per_warp);
  const std::uint64_t even_share = divide_up(num_warps, limits.multiprocessors);
  block_warps = static_cast<unsigned>(even_share < most ? even_share : most);
  return cudaSuccess;
}

template <bool anywhere, class Steps>
cudaError_t launch_sliced_of(const GpuBatch& batch, const Steps& steps, Direction direction, cudaStream_t stream) {
  if (batch.num_messages == 0) return cudaSuccess;
  const bool is_keyed = batch.keys != nullptr;
  const std::size_t warp_bytes = is_keyed ? GpuDesKeyPlanes::warp_bytes_per_pass * (batch.key_bytes / 8) : 0;
  const std::uint64_t num_warps = GpuDesMessages::num_warps(batch.num_messages);
  unsigned block_warps = 0;
  cudaError_t error = count_block_warps(num_warps, warp_bytes, block_warps);
  if (error != cudaSuccess) return error;
  const auto num_blocks = static_cast<unsigned>(divide_up(num_warps, block_warps));
  if (!is_keyed) {
    void* current = nullptr;
    error = CurrentKey::address(&current);
    if (error != cudaSuccess) return error;
    crypt_sliced_batch_kernel<anywhere><<<num_blocks, 32 * block_warps, GpuDes::shared_bytes, stream>>>(
        batch, steps, direction, static_cast<const GpuDesSchedule*>(current));
    return cudaGetLastError();
  }
  error = allow_shared_memory(reinterpret_cast<const void*>(crypt_keyed_sliced_batch_kernel<anywhere, Steps>),
                              block_warps * warp_bytes);
  if (error != cudaSuccess) return error;
  crypt_keyed_sliced_batch_kernel<anywhere>
      <<<num_blocks, 32 * block_warps, block_warps * warp_bytes, stream>>>(batch, steps, direction);
  return cudaGetLastError();
}

template <class Steps>
cudaError_t launch_sliced_of(const GpuBatch& batch, const Steps& steps, Direction direction, cudaStream_t stream) {
  const auto launch = batch.rests != nullptr ? launch_sliced_of<true, Steps> : launch_sliced_of<false, Steps>;
  return launch(batch, steps, direction, stream);
}

template <Mode mode, Direction direction>
cudaError_t launch_sliced(const GpuBatch& batch, cudaStream_t stream) {
  constexpr GpuDesStep step = GpuDesStep::of(mode, direction);
  if constexpr (mode == Mode::cbc && direction == Direction::encrypt) {
    return launch_sliced_of(batch, GpuDesCbcEncryption{}, step.cipher_direction, stream);
  } else {
    return launch_sliced_of(batch, GpuDesAnyMode{step}, step.cipher_direction, stream);
  }
}

template <unsigned num_passes>
using BatchByTables = MessageBatch<GpuDesTables<>, GpuDesTablesOfKeys<num_passes>, CurrentKey>;

template <Mode mode, Direction direction>
cudaError_t launch_by_tables(const GpuBatch& batch, cudaStream_t stream) {
  if (batch.keys == nullptr || batch.key_bytes == 24) return BatchByTables<3>::launch<mode, direction>(batch, stream);
  const auto launch =
      batch.key_bytes == 16 ? BatchByTables<2>::launch<mode, direction> : BatchByTables<1>::launch<mode, direction>;
  return launch(batch, stream);
}

// The kernel by tables takes a message a thread, so few messages keep it busy; the sliced one, 32 a thread, is faster once
// it has enough of them.
enum class BatchKernel { by_number, by_tables, sliced };

// So many it takes for each multiprocessor, as measured (docs/gpu_kernels.md). Single DES is always faster by tables.
std::uint64_t enough_messages(bool is_keyed, std::size_t key_bytes) {
  constexpr std::uint64_t never = ~std::uint32_t{0};
  constexpr std::uint64_t of_passes[2][max_des_passes] = {{never, 2700, 2400}, {never, 4800, 2850}};
  return of_passes[is_keyed ? 1 : 0][key_bytes / 8 - 1];
}

template <BatchKernel which>
cudaError_t choose(std::uint64_t num_messages, bool is_keyed, std::size_t key_bytes, bool& takes_tables) {
  takes_tables = which == BatchKernel::by_tables;
  if (which != BatchKernel::by_number) return cudaSuccess;
  DeviceLimits limits{};
  const cudaError_t error = find_limits(limits);
  takes_tables = num_messages < enough_messages(is_keyed, key_bytes) * limits.multiprocessors;
  return error;
}

template <BatchKernel which, Mode mode, Direction direction>
cudaError_t launch_batch(const GpuBatch& batch, cudaStream_t stream) {
  bool takes_tables = false;
  const cudaError_t error = choose<which>(batch.num_messages, batch.keys != nullptr, batch.key_bytes, takes_tables);
  if (error != cudaSuccess) return error;
  return takes_tables ? launch_by_tables<mode, direction>(batch, stream) : launch_sliced<mode, direction>(batch, stream);
}

template <BatchKernel which>
std::size_t batch_scratch_bytes(std::uint64_t num_messages, std::uint64_t num_keys, std::size_t key_bytes) {
  bool takes_tables = false;
  // If that fails, so does the launch.
  (void)choose<which>(num_messages, num_keys != 0, key_bytes, takes_tables);
  if (!takes_tables) return GpuDesMessages::scratch_bytes(num_messages);
  return num_keys * GpuDesTablesOfKeys<1>::key_vectors * 16 * (key_bytes / 8);
}

template <BatchKernel which, Mode mode>
constexpr void set_batch(GpuKernel& kernel) {
  kernel.batch[static_cast<unsigned>(mode)][0] = launch_batch<which, mode, Direction::encrypt>;
  kernel.batch[static_cast<unsigned>(mode)][1] = launch_batch<which, mode, Direction::decrypt>;
}

template <BatchKernel which>
constexpr GpuKernel make_des_kernel() {
  GpuKernel kernel = make_gpu_kernel<GpuDes, CurrentKey>();
  set_batch<which, Mode::ecb>(kernel);
  set_batch<which, Mode::cbc>(kernel);
  set_batch<which, Mode::ctr>(kernel);
  set_batch<which, Mode::cfb>(kernel);
  set_batch<which, Mode::ofb>(kernel);
  kernel.batch_scratch_bytes = batch_scratch_bytes<which>;
  return kernel;
}

}  // namespace

constexpr GpuKernel des_gpu_kernel = make_des_kernel<BatchKernel::by_number>();
constexpr GpuKernel des_tables_gpu_kernel = make_des_kernel<BatchKernel::by_tables>();
constexpr GpuKernel des_sliced_gpu_kernel = make_des_kernel<BatchKernel::sliced>();

}  // namespace phalanx

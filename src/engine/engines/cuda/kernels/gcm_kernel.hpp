// Adds to the table of gpu_kernel.hpp what GCM's batches need of a cipher: the texts of all messages, by one core, and
// their tags, by a core of one block a thread. Only nvcc reads this file.
#pragma once

#include "engine/engines/cuda/kernels/batch_kernel.hpp"
#include "engine/modes/device_batches/gcm_hash_steps.hpp"
#include "engine/modes/device_batches/gcm_text_steps.hpp"

namespace phalanx {
namespace {

template <class Core, class Key>
__global__ void __launch_bounds__(Core::threads_per_block, resident_blocks<Core>)
    crypt_gcm_kernel(const __grid_constant__ DeviceBatchJob job, const void* schedule) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  if (*job.num_misplaced != 0) return;
  Core core;
  core.template prepare<Direction::encrypt>(*static_cast<const typename Core::Schedule*>(schedule), shared);
  const unsigned warp = __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
  const std::uint64_t num_warps = std::uint64_t{gridDim.x} * (Core::threads_per_block / 32);
  // Neighbouring shares are other multiprocessors': few shares are spread over all of them.
  const std::uint64_t share = warp * std::uint64_t{gridDim.x} + blockIdx.x;
  const auto schedule_of = [](std::uint64_t /*message*/) -> const auto& { return Key::schedule(); };
  crypt_gcm_share(core, schedule_of, job, share, num_warps, threadIdx.x % 32);
  if constexpr (WipesSharedMemory<Core>) core.finish(shared);
}

// Every message in turn; encrypt(i, x) is its block cipher in place.
template <class Encrypt>
__device__ void finish_gcm_messages(const DeviceBatchJob& job, Encrypt encrypt) {
  const bool is_misplaced = *job.num_misplaced != 0;
  const std::uint64_t num_threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < job.arrays.num_messages;
       i += num_threads) {
    if (is_misplaced) {
      job.verdicts[i] = verdict_misplaced;
      continue;
    }
    const std::uint8_t verdict = finish_gcm_message(job, i, [&](GpuBlock128& x) { encrypt(i, x); });
    if (verdict != verdict_authentic) *job.all_authentic = 0;
  }
}

template <class Core, class Key>
__global__ void __launch_bounds__(Core::threads_per_block, resident_blocks<Core>)
    finish_gcm_kernel(const __grid_constant__ DeviceBatchJob job) {
  static_assert(Core::blocks_per_thread == 1);
  extern __shared__ __align__(1024) std::uint8_t shared[];
  Core core;
  core.template prepare<Direction::encrypt>(Key::schedule(), shared);
  finish_gcm_messages(job,
                      [&](std::uint64_t, GpuBlock128& x) { core.template crypt<Direction::encrypt>(Key::schedule(), &x); });
  if constexpr (WipesSharedMemory<Core>) core.finish(shared);
}

// Messages with a key each.
template <class KeyedCore>
__global__ void expand_gcm_keys_kernel(const __grid_constant__ DeviceBatchJob job) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= job.arrays.num_messages) return;
  KeyedCore::template expand_key<Direction::encrypt>(job.arrays.keys + i * job.arrays.key_bytes, job.arrays.key_bytes,
                                                     gcm_keys_of(job, i));
}

template <class KeyedCore>
__global__ void __launch_bounds__(KeyedCore::threads_per_block, resident_blocks<KeyedCore>)
    make_gcm_subkeys_kernel(const __grid_constant__ DeviceBatchJob job) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  KeyedCore core;
  core.template prepare<Direction::encrypt>(shared);
  const std::uint64_t num_threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < job.arrays.num_messages;
       i += num_threads) {
    GpuBlock128 x{};
    core.template crypt<Direction::encrypt>(gcm_keys_of(job, i), job.arrays.key_bytes, x);
    for (unsigned j = 0; j < 4; ++j) job.subkeys[i][j] = x.word[j];
  }
}

template <class KeyedCore>
__global__ void __launch_bounds__(KeyedCore::threads_per_block, resident_blocks<KeyedCore>)
    crypt_keyed_gcm_kernel(const __grid_constant__ DeviceBatchJob job) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  if (*job.num_misplaced != 0) return;
  GcmKeyedCore<KeyedCore> core{{}, job.arrays.key_bytes};
  core.core.template prepare<Direction::encrypt>(shared);
  const unsigned warp = __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
  const std::uint64_t num_warps = std::uint64_t{gridDim.x} * (KeyedCore::threads_per_block / 32);
  const std::uint64_t share = warp * std::uint64_t{gridDim.x} + blockIdx.x;
  using Keys = typename GcmKeyedCore<KeyedCore>::Schedule;
  const auto keys_of = [&job](std::uint64_t message) { return Keys(gcm_keys_of(job, message)); };
  crypt_gcm_share(core, keys_of, job, share, num_warps, threadIdx.x % 32);
}

template <class KeyedCore>
__global__ void __launch_bounds__(KeyedCore::threads_per_block, resident_blocks<KeyedCore>)
    finish_keyed_gcm_kernel(const __grid_constant__ DeviceBatchJob job) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  KeyedCore core;
  core.template prepare<Direction::encrypt>(shared);
  finish_gcm_messages(job, [&](std::uint64_t i, GpuBlock128& x) {
    core.template crypt<Direction::encrypt>(gcm_keys_of(job, i), job.arrays.key_bytes, x);
  });
}

/// Launches a kernel whose warps share the units of the job's texts.
template <class Core, class Kernel, class... Arguments>
cudaError_t launch_over_units(Kernel kernel, cudaStream_t stream, const DeviceBatchJob& job, const Arguments&... arguments) {
  DeviceLimits limits{};
  cudaError_t error = find_limits(limits);
  if (error == cudaSuccess) error = allow_shared_memory(reinterpret_cast<const void*>(kernel), Core::shared_bytes);
  if (error != cudaSuccess) return error;
  const std::uint64_t most = std::uint64_t{limits.multiprocessors} * Core::grid_blocks;
  const unsigned num_blocks = count_blocks(job.most_units, 1, Core::threads_per_block, most);
  kernel<<<num_blocks, Core::threads_per_block, Core::shared_bytes, stream>>>(job, arguments...);
  return cudaGetLastError();
}

/// Core crypts texts; Small does where a multiprocessor has not the shared memory that Core wants; TagCore makes tags.
/// Where every message has a key of its own, KeyedTextCore crypts texts, if there is the shared memory, and KeyedCore does
/// all else.
template <class Core, class Small, class TagCore, class KeyedTextCore, class KeyedCore, class Key>
struct GcmBatch {
  static cudaError_t expand_keys(const DeviceBatchJob& job, cudaStream_t stream) {
    constexpr unsigned expanding_threads = 128;
    const std::uint64_t count = job.arrays.num_messages;
    if (count == 0) return cudaSuccess;
    const auto num_blocks = static_cast<unsigned>(divide_up(count, expanding_threads));
    expand_gcm_keys_kernel<KeyedCore><<<num_blocks, expanding_threads, 0, stream>>>(job);
    const cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error
                                : launch_over_messages<KeyedCore>(make_gcm_subkeys_kernel<KeyedCore>, count, stream, job);
  }
  static cudaError_t keyed_crypt(const DeviceBatchJob& job, cudaStream_t stream) {
    return launch_by_memory<KeyedTextCore, KeyedCore>([&]<class Chosen>(std::type_identity<Chosen>) {
      return launch_over_units<Chosen>(crypt_keyed_gcm_kernel<Chosen>, stream, job);
    });
  }
  static cudaError_t keyed_finish(const DeviceBatchJob& job, cudaStream_t stream) {
    const std::uint64_t count = job.arrays.num_messages;
    return count == 0 ? cudaSuccess
                      : launch_over_messages<KeyedCore>(finish_keyed_gcm_kernel<KeyedCore>, count, stream, job);
  }
  static cudaError_t crypt(const DeviceBatchJob& job, cudaStream_t stream) {
    void* schedule = nullptr;
    const cudaError_t error = Key::address(&schedule);
    if (error != cudaSuccess) return error;
    return launch_by_memory<Core, Small>([&]<class Chosen>(std::type_identity<Chosen>) {
      return launch_over_units<Chosen>(crypt_gcm_kernel<Chosen, Key>, stream, job, schedule);
    });
  }
  static cudaError_t finish(const DeviceBatchJob& job, cudaStream_t stream) {
    const std::uint64_t count = job.arrays.num_messages;
    return count == 0 ? cudaSuccess : launch_over_messages<TagCore>(finish_gcm_kernel<TagCore, Key>, count, stream, job);
  }
  static constexpr GpuKernel add_to(GpuKernel kernel) {
    kernel.gcm = {crypt,        finish, 32 * Core::blocks_per_thread, expand_keys, keyed_crypt,
                  keyed_finish, 32,     KeyedCore::key_vectors};
    return kernel;
  }
};

}  // namespace
}  // namespace phalanx

// What batches of GCM messages in a GPU's memory need beside their cipher: the check of their offsets and the sums of their
// work, GHASH, and the trap.
#include "engine/engines/cuda/gpu_gcm.hpp"
#include "engine/engines/cuda/kernels/device_limits.hpp"
#include "engine/engines/cuda/kernels/gcm_matrix_hash.hpp"
#include "engine/engines/cuda/kernels/ghash_powers.hpp"
#include "engine/engines/cuda/scratch_parts.hpp"
#include "engine/lanes/lane_tables.hpp"
#include "engine/modes/device_batches/gcm_hash_steps.hpp"
#include "engine/modes/device_batches/xaes_inputs.hpp"

namespace phalanx {
namespace {

constexpr unsigned group_threads = DeviceBatchJob::group;
constexpr unsigned hash_threads = 1024;  // of a CUDA block: one fills a multiprocessor
constexpr unsigned expanding_threads = 512;
constexpr unsigned keyed_hash_threads = 256;
constexpr unsigned keyed_hash_resident = 3;  // bounds registers: products wait for one another
constexpr unsigned keyed_hash_blocks = 12;   // launched for each multiprocessor
constexpr unsigned matrix_hash_threads = 256;
constexpr unsigned matrix_hash_resident = 3;
constexpr std::uint64_t least_matrix_bytes = 6144;  // of a message, on average

__global__ void __launch_bounds__(expanding_threads) expand_key_kernel(const std::uint8_t* hash_subkey, GcmHashKey* key) {
  constexpr GhashElement one{{0x80000000, 0, 0, 0}};
  fill_powers(key->lane, ghash_element(load_block<4>(hash_subkey, 0, true).word), 32);
  fill_powers(key->near + 1, key->lane[31], 1024);
  fill_powers(key->far + 1, key->near[1024], 1024);
  fill_powers(key->farther + 1, key->far[1024], 256);
  if (threadIdx.x == 0) key->near[0] = key->far[0] = key->farther[0] = one;
}

// The sum of the values of all threads before this one, of group_threads, and that of all.
struct GroupSum {
  std::uint64_t before, all;
};
__device__ GroupSum sum_of_group(std::uint64_t value, std::uint64_t* warp_sums) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const auto sum_to_here = [lane](std::uint64_t x) {
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const std::uint64_t other = __shfl_up_sync(0xffffffff, x, distance);
      if (lane >= distance) x += other;
    }
    return x;
  };
  const std::uint64_t in_warp = sum_to_here(value);
  __syncthreads();  // of the use before
  if (lane == 31) warp_sums[warp] = in_warp;
  __syncthreads();
  if (warp == 0) warp_sums[lane] = sum_to_here(warp_sums[lane]);
  __syncthreads();
  return {in_warp - value + (warp == 0 ? 0 : warp_sums[warp - 1]), warp_sums[31]};
}

// A message a thread: its copy, its check, and where its work begins in its group.
__global__ void __launch_bounds__(group_threads) read_messages_kernel(const __grid_constant__ DeviceBatchJob job) {
  __shared__ std::uint64_t warp_sums[32];
  const std::uint64_t index = blockIdx.x * std::uint64_t{group_threads} + threadIdx.x;
  const bool exists = index < job.arrays.num_messages;
  DeviceBatchMessage message{};
  bool fits = true;
  if (exists) {
    fits = read_gcm_message(job.arrays, index, message);
    job.messages[index] = message;
    if (job.hashes != nullptr) {
      for (unsigned i = 0; i < 4; ++i) job.hashes[index][i] = 0;
    }
    if (job.is_open && fits) read_gcm_tag(job.arrays, index, message, job.tags[index]);
  }
  __syncthreads();  // the copy of the message before is that of another thread
  if (exists && threadIdx.x != 0) fits = fits && ends_before(job.arrays, job.messages[index - 1], message);
  if (!fits) atomicAdd(job.num_misplaced, 1U);
  const auto start_units = [&](const DeviceBatchStarts& starts, std::uint64_t num_units) {
    const GroupSum sum = sum_of_group(exists ? num_units : 0, warp_sums);
    if (exists) starts.in_group[index] = sum.before;
    if (threadIdx.x == 0) starts.of_group[blockIdx.x] = sum.all;
  };
  start_units(job.crypt_starts, gcm_crypt_units(message, job.step_blocks, job.arrays.steals));
  if (job.hashes != nullptr) start_units(job.hash_starts, gcm_hash_units(message));
}

// One CUDA block: where the work of each group begins, and whether all groups fit one another.
__global__ void __launch_bounds__(group_threads) sum_groups_kernel(const __grid_constant__ DeviceBatchJob job) {
  __shared__ std::uint64_t warp_sums[32];
  const std::uint64_t num_groups = job.num_groups();
  std::uint64_t num_crypt = 0;
  std::uint64_t num_hash = 0;
  for (std::uint64_t first = 0; first < num_groups; first += group_threads) {
    const std::uint64_t group = first + threadIdx.x;
    const bool exists = group < num_groups;
    const std::uint64_t message = group * DeviceBatchJob::group;
    if (exists && group != 0 && !ends_before(job.arrays, job.messages[message - 1], job.messages[message]))
      atomicAdd(job.num_misplaced, 1U);
    const auto start_groups = [&](const DeviceBatchStarts& starts, std::uint64_t& num_units) {
      const GroupSum sum = sum_of_group(exists ? starts.of_group[group] : 0, warp_sums);
      if (exists) starts.of_group[group] = num_units + sum.before;
      num_units += sum.all;
    };
    start_groups(job.crypt_starts, num_crypt);
    if (job.hashes != nullptr) start_groups(job.hash_starts, num_hash);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  job.crypt_starts.of_group[num_groups] = num_crypt;
  if (job.hashes != nullptr) job.hash_starts.of_group[num_groups] = num_hash;
  *job.all_authentic = atomicAdd(job.num_misplaced, 0U) == 0 ? 1 : 0;
}

template <unsigned digit_bits>
__global__ void __launch_bounds__(hash_threads, 1) hash_kernel(const __grid_constant__ DeviceBatchJob job) {
  using Tables = LaneTablesOf<1U << digit_bits>;
  using Times = GhashTimes<digit_bits, Tables>;
  extern __shared__ __align__(1024) std::uint8_t shared[];
  if (*job.num_misplaced != 0) return;
  const auto& key = *static_cast<const GcmHashKey*>(job.hash_key);
  const typename Times::Multiples multiples(key.lane[31]);  // of H^32
  const Times times{
      Tables::template fill<4>(shared, [&multiples](unsigned v, std::uint32_t words[4]) { multiples.entry(v, words); })};
  const unsigned warp = __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
  const std::uint64_t num_warps = std::uint64_t{gridDim.x} * (hash_threads / 32);
  hash_gcm_share(times, key, job, warp * std::uint64_t{gridDim.x} + blockIdx.x, num_warps, threadIdx.x % 32);
  Tables::wipe_tables(shared, 4);
}

// Messages with a key each, by products without tables.
__global__ void __launch_bounds__(keyed_hash_threads, keyed_hash_resident)
    hash_keyed_kernel(const __grid_constant__ DeviceBatchJob job) {
  if (*job.num_misplaced != 0) return;
  const unsigned warp = __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
  const std::uint64_t num_warps = std::uint64_t{gridDim.x} * (keyed_hash_threads / 32);
  hash_keyed_gcm_share(job, warp * std::uint64_t{gridDim.x} + blockIdx.x, num_warps, threadIdx.x % 32);
}

// Both by products of binary matrices, for GPUs that have them.
template <bool is_keyed>
__global__ void __launch_bounds__(matrix_hash_threads, matrix_hash_resident)
    hash_by_matrices_kernel(const __grid_constant__ DeviceBatchJob job) {
  if (*job.num_misplaced != 0) return;
  const unsigned warp = __shfl_sync(0xffffffffU, threadIdx.x / 32, 0);
  const std::uint64_t num_warps = std::uint64_t{gridDim.x} * (matrix_hash_threads / 32);
  const std::uint64_t share = warp * std::uint64_t{gridDim.x} + blockIdx.x;
  if constexpr (is_keyed) {
    hash_keyed_gcm_share_by_matrices(job, share, num_warps, threadIdx.x % 32);
  } else {
    hash_gcm_share_by_matrices(*static_cast<const GcmHashKey*>(job.hash_key), job, share, num_warps, threadIdx.x % 32);
  }
}

cudaError_t launch_matrix_hash(const DeviceBatchJob& job, std::uint32_t multiprocessors, cudaStream_t stream) {
  const std::uint64_t most = std::uint64_t{multiprocessors} * matrix_hash_resident;
  const unsigned num_blocks = count_blocks(job.most_units, 1, matrix_hash_threads, most);
  auto* const kernel = job.arrays.keys != nullptr ? hash_by_matrices_kernel<true> : hash_by_matrices_kernel<false>;
  kernel<<<num_blocks, matrix_hash_threads, 0, stream>>>(job);
  return cudaGetLastError();
}

cudaError_t launch_keyed_hash(const DeviceBatchJob& job, std::uint32_t multiprocessors, cudaStream_t stream) {
  const std::uint64_t most = std::uint64_t{multiprocessors} * keyed_hash_blocks;
  hash_keyed_kernel<<<count_blocks(job.most_units, 1, keyed_hash_threads, most), keyed_hash_threads, 0, stream>>>(job);
  return cudaGetLastError();
}

template <unsigned digit_bits>
cudaError_t launch_hash(const DeviceBatchJob& job, unsigned num_blocks, cudaStream_t stream) {
  constexpr std::size_t shared_bytes = LaneTablesOf<1U << digit_bits>::bytes_of(4);
  const cudaError_t error = allow_shared_memory(reinterpret_cast<const void*>(hash_kernel<digit_bits>), shared_bytes);
  if (error != cudaSuccess) return error;
  hash_kernel<digit_bits><<<num_blocks, hash_threads, shared_bytes, stream>>>(job);
  return cudaGetLastError();
}

// Whether these messages are hashed by products of binary matrices. Under one key a short message costs more there: the end
// of its hash.
bool takes_matrices(const DeviceBatchJob& job, const DeviceLimits& limits) {
  if (!has_bit_matrices(limits.code_version)) return false;
  const GcmHashing asked = gcm_hashing.load(std::memory_order_relaxed);
  if (asked != GcmHashing::as_it_fits) return asked == GcmHashing::by_matrices;
  const std::uint64_t count = job.arrays.num_messages;
  return job.arrays.keys != nullptr || count == 0 || job.arrays.out_bytes / count >= least_matrix_bytes;
}

// A message a thread. L and the blocks are aligned to 16 bytes.
__global__ void make_xaes_inputs_kernel(const std::uint8_t* L, const __grid_constant__ DeviceBatchArrays arrays,
                                        std::uint8_t* blocks) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= arrays.num_messages) return;
  GpuBlock128 inputs[2];
  make_xaes_inputs(load_block<4>(L, 0, true), arrays.nonces + i * arrays.nonce_bytes, inputs);
  for (unsigned j = 0; j < 2; ++j) store_block<4>(blocks, 2 * i + j, inputs[j], true);
}

// A chunk a thread. A number is below 2^64: the first word of a nonce is the base's.
__global__ void write_chunk_arrays_kernel(const __grid_constant__ GpuChunkArrays arrays) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= arrays.count) return;
  const std::uint64_t start = i * arrays.chunk_bytes;
  const std::uint64_t rest = arrays.plain_bytes - start;
  arrays.plain_offsets[i] = start;
  arrays.sealed_offsets[i] = i * (arrays.chunk_bytes + 16);
  arrays.lengths[i] = rest < arrays.chunk_bytes ? rest : arrays.chunk_bytes;
  auto* const nonce = reinterpret_cast<std::uint32_t*>(arrays.nonces) + 3 * i;
  const std::uint64_t number = arrays.first + i;
  nonce[0] = arrays.base_nonce[0];
  nonce[1] = arrays.base_nonce[1] ^ reverse_bytes32(static_cast<std::uint32_t>(number >> 32));
  nonce[2] = arrays.base_nonce[2] ^ reverse_bytes32(static_cast<std::uint32_t>(number));
}

__global__ void require_kernel(const std::uint32_t* all_authentic) {
  if (*all_authentic == 0) __trap();
}

std::size_t place_parts(DeviceBatchJob& job, bool has_hashes, std::uint8_t* scratch) {
  const std::uint64_t count = job.arrays.num_messages;
  ScratchParts parts(scratch);
  parts.take(job.num_misplaced, 1);
  parts.take(job.all_authentic, 1);
  parts.take(job.messages, count);
  parts.take(job.verdicts, count);
  const auto take_starts = [&](DeviceBatchStarts& starts) {
    parts.take(starts.in_group, count);
    parts.take(starts.of_group, job.num_groups() + 1);
  };
  take_starts(job.crypt_starts);
  if (!has_hashes) return parts.num_bytes();
  take_starts(job.hash_starts);
  parts.take(job.hashes, count);
  parts.take(job.tags, count);
  return parts.num_bytes();
}

std::size_t place_key_parts(DeviceBatchJob& job, std::size_t key_vectors, std::uint8_t* scratch) {
  job.num_key_vectors = key_vectors;
  const std::uint64_t count = job.arrays.num_messages;
  ScratchParts parts(scratch);
  parts.take(job.subkeys, count);
  parts.take(job.key_vectors, 16 * key_vectors * count);
  return parts.num_bytes();
}

}  // namespace

std::atomic<GcmHashing> gcm_hashing{GcmHashing::as_it_fits};

std::size_t gpu_gcm_key_bytes() { return sizeof(GcmHashKey); }

cudaError_t expand_gpu_gcm_key(const std::uint8_t* hash_subkey, void* key, cudaStream_t stream) {
  expand_key_kernel<<<1, expanding_threads, 0, stream>>>(hash_subkey, static_cast<GcmHashKey*>(key));
  return cudaGetLastError();
}

std::size_t gpu_gcm_scratch_bytes(std::uint64_t num_messages, bool has_hashes) {
  DeviceBatchJob job{};
  job.arrays.num_messages = num_messages;
  return place_parts(job, has_hashes, nullptr);
}

void place_gpu_gcm(DeviceBatchJob& job, bool has_hashes, std::uint8_t* scratch) {
  (void)place_parts(job, has_hashes, scratch);
}

std::size_t gpu_gcm_keys_bytes(std::uint64_t num_messages, std::size_t key_vectors) {
  DeviceBatchJob job{};
  job.arrays.num_messages = num_messages;
  return place_key_parts(job, key_vectors, nullptr);
}

void place_gpu_gcm_keys(DeviceBatchJob& job, std::size_t key_vectors, std::uint8_t* scratch) {
  (void)place_key_parts(job, key_vectors, scratch);
}

cudaError_t make_gpu_xaes_inputs(const std::uint8_t* L, const DeviceBatchArrays& arrays, std::uint8_t* blocks,
                                 cudaStream_t stream) {
  constexpr unsigned threads = 128;
  if (arrays.num_messages == 0) return cudaSuccess;
  const auto num_blocks = static_cast<unsigned>(divide_up(arrays.num_messages, threads));
  make_xaes_inputs_kernel<<<num_blocks, threads, 0, stream>>>(L, arrays, blocks);
  return cudaGetLastError();
}

cudaError_t write_gpu_chunk_arrays(const GpuChunkArrays& arrays, cudaStream_t stream) {
  constexpr unsigned threads = 128;
  write_chunk_arrays_kernel<<<static_cast<unsigned>(divide_up(arrays.count, threads)), threads, 0, stream>>>(arrays);
  return cudaGetLastError();
}

cudaError_t plan_gpu_batch(const DeviceBatchJob& job, cudaStream_t stream) {
  cudaError_t error = cudaMemsetAsync(job.num_misplaced, 0, sizeof *job.num_misplaced, stream);
  if (error != cudaSuccess) return error;
  if (job.num_groups() != 0) {
    read_messages_kernel<<<static_cast<unsigned>(job.num_groups()), group_threads, 0, stream>>>(job);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
  }
  sum_groups_kernel<<<1, group_threads, 0, stream>>>(job);
  return cudaGetLastError();
}

cudaError_t hash_gpu_gcm(const DeviceBatchJob& job, cudaStream_t stream) {
  DeviceLimits limits{};
  const cudaError_t error = find_limits(limits);
  if (error != cudaSuccess) return error;
  if (takes_matrices(job, limits)) return launch_matrix_hash(job, limits.multiprocessors, stream);
  if (job.arrays.keys != nullptr) return launch_keyed_hash(job, limits.multiprocessors, stream);
  // A warp for every four steps, which is when it pays to fill another multiprocessor's tables.
  const unsigned num_blocks = count_blocks(job.most_units, 4, hash_threads, limits.multiprocessors);
  const bool has_room = LaneTables::bytes_of(4) <= limits.shared_bytes;
  return has_room ? launch_hash<8>(job, num_blocks, stream) : launch_hash<4>(job, num_blocks, stream);
}

cudaError_t require_gpu_gcm(const std::uint32_t* all_authentic, cudaStream_t stream) {
  require_kernel<<<1, 1, 0, stream>>>(all_authentic);
  return cudaGetLastError();
}

}  // namespace phalanx

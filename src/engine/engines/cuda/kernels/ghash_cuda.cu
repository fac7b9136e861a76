// GHASH on a GPU. The T threads of a launch take the blocks in turn, as many as there are of them at a time: thread t hashes
// every T-th block under H^T, by tables in shared memory. With the message's last block in the last thread's hands (zero
// blocks are put before the message, which change nothing), the hash is the sum of the threads' values times H^(T - t).
#include "engine/engines/cuda/gpu_hash.hpp"
#include "engine/engines/cuda/kernels/device_limits.hpp"
#include "engine/engines/cuda/kernels/ghash_powers.hpp"
#include "engine/lanes/gpu_block.hpp"
#include "engine/lanes/lane_tables.hpp"
#include "engine/modes/ghash_tables.hpp"

namespace phalanx {
namespace {

constexpr unsigned block_threads = 1024;  // of a CUDA block: one fills a multiprocessor
constexpr unsigned max_blocks = 1024;
constexpr unsigned expanding_threads = 512;

struct alignas(16) GhashKey {
  GhashElement thread_powers[block_threads];  // [i] is H^(i + 1)
  GhashElement block_powers[max_blocks + 1];  // [i] is H^(i * block_threads)
};

__device__ GhashElement load_element(const std::uint8_t* base, std::uint64_t index, bool aligned) {
  return ghash_element(load_block<4>(base, index, aligned).word);
}

__global__ void __launch_bounds__(expanding_threads) expand_key_kernel(const std::uint8_t* hash_subkey, GhashKey* key) {
  fill_powers(key->thread_powers, load_element(hash_subkey, 0, true), block_threads);
  if (threadIdx.x == 0) key->block_powers[0] = {{0x80000000, 0, 0, 0}};  // 1
  fill_powers(key->block_powers + 1, key->thread_powers[block_threads - 1], max_blocks);
}

struct HashJob {
  const GhashKey* key;
  const std::uint8_t* in;
  std::uint64_t num_blocks;
  bool aligned;
  std::uint32_t* state;  // what the message's first block is added to
  std::uint32_t* sum;    // zeros; the CUDA blocks add their shares
};

// One thread's hash of every T-th block.
template <unsigned digit_bits, class Tables>
__device__ GhashElement hash_stride(const GhashTimes<digit_bits, Tables>& times, const HashJob& job) {
  const std::uint64_t num_threads = std::uint64_t{gridDim.x} * block_threads;
  const std::uint64_t thread = blockIdx.x * std::uint64_t{block_threads} + threadIdx.x;
  const std::uint64_t num_steps = divide_up(job.num_blocks, num_threads);
  const std::uint64_t first = thread + job.num_blocks - num_steps * num_threads;  // before block 0: wraps
  const auto load = [&](std::uint64_t block) {
    GhashElement x{};
    if (block < job.num_blocks) x = load_element(job.in, block, job.aligned);
    if (block == 0) x = x ^ load_element(reinterpret_cast<const std::uint8_t*>(job.state), 0, true);
    return x;
  };
  GhashElement y = load(first);
  std::uint64_t block = first + num_threads;
  GhashElement next = num_steps > 1 ? load(block) : GhashElement{};
  for (std::uint64_t step = 1; step < num_steps; ++step) {
    const GhashElement x = next;
    block += num_threads;
    next = load(block);  // the last one is beyond the end
    y = times.of(y) ^ x;
  }
  return y;
}

// The sum over the threads of the CUDA block, in thread 0.
__device__ GhashElement sum_of_block(GhashElement x) {
  __shared__ GhashElement warp_sums[block_threads / 32];
  const auto sum_of_warp = [](GhashElement& y) {
    for (unsigned distance = 16; distance != 0; distance /= 2) {
      for (unsigned i = 0; i < 4; ++i) y.word[i] ^= __shfl_down_sync(0xffffffff, y.word[i], distance);
    }
  };
  sum_of_warp(x);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x < 32) {
    x = warp_sums[threadIdx.x];
    sum_of_warp(x);
    warp_sums[threadIdx.x] = GhashElement{};
  }
  return x;
}

template <unsigned digit_bits>
__global__ void __launch_bounds__(block_threads, 1) update_kernel(const __grid_constant__ HashJob job) {
  using Tables = LaneTablesOf<1U << digit_bits>;
  using Times = GhashTimes<digit_bits, Tables>;
  extern __shared__ __align__(1024) std::uint8_t shared[];
  const typename Times::Multiples multiples(job.key->block_powers[gridDim.x]);  // of H^T
  const Times times{
      Tables::template fill<4>(shared, [&multiples](unsigned v, std::uint32_t words[4]) { multiples.entry(v, words); })};
  const GhashElement y = hash_stride(times, job);
  Tables::wipe_tables(shared, 4);
  const GhashElement share = sum_of_block(ghash_multiply(y, job.key->thread_powers[block_threads - 1 - threadIdx.x]));
  if (threadIdx.x == 0) {
    const GhashElement scaled = ghash_multiply(share, job.key->block_powers[gridDim.x - 1 - blockIdx.x]);
    for (unsigned i = 0; i < 4; ++i) atomicXor(job.sum + i, reverse_bytes32(scaled.word[i]));
  }
}

template <unsigned digit_bits>
cudaError_t launch_update(const HashJob& job, unsigned num_blocks, cudaStream_t stream) {
  constexpr std::size_t shared_bytes = LaneTablesOf<1U << digit_bits>::bytes_of(4);
  const cudaError_t error = allow_shared_memory(reinterpret_cast<const void*>(update_kernel<digit_bits>), shared_bytes);
  if (error != cudaSuccess) return error;
  update_kernel<digit_bits><<<num_blocks, block_threads, shared_bytes, stream>>>(job);
  return cudaGetLastError();
}

}  // namespace

std::size_t gpu_hash_key_bytes() { return sizeof(GhashKey); }

cudaError_t expand_gpu_hash_key(const std::uint8_t* hash_subkey, void* key, cudaStream_t stream) {
  expand_key_kernel<<<1, expanding_threads, 0, stream>>>(hash_subkey, static_cast<GhashKey*>(key));
  return cudaGetLastError();
}

cudaError_t update_gpu_hash(const void* key, std::uint8_t* state, const std::uint8_t* in, std::uint64_t num_blocks,
                            cudaStream_t stream) {
  if (num_blocks == 0) return cudaSuccess;
  auto* const words = reinterpret_cast<std::uint32_t*>(state);
  const HashJob job{static_cast<const GhashKey*>(key), in, num_blocks, is_aligned<4>(in), words, words + 4};
  DeviceLimits limits{};
  cudaError_t error = find_limits(limits);
  if (error == cudaSuccess) error = cudaMemsetAsync(job.sum, 0, 16, stream);
  if (error != cudaSuccess) return error;
  const std::uint64_t wanted =
      divide_up(num_blocks, 4 * block_threads);  // fewer blocks a thread do not pay for its last product
  const std::uint64_t most = limits.multiprocessors < max_blocks ? limits.multiprocessors : max_blocks;
  const bool has_room = LaneTables::bytes_of(4) <= limits.shared_bytes;
  const auto num_cuda_blocks = static_cast<unsigned>(wanted < most ? wanted : most);
  error = has_room ? launch_update<8>(job, num_cuda_blocks, stream) : launch_update<4>(job, num_cuda_blocks, stream);
  if (error == cudaSuccess) error = cudaMemcpyAsync(state, job.sum, 16, cudaMemcpyDeviceToDevice, stream);
  return error;
}

}  // namespace phalanx

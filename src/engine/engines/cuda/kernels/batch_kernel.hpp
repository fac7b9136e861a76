// Makes the batches of gpu_kernel.hpp out of cores that have one block a thread: one core for messages under the key in
// place (as gpu_modes.hpp has it), and one for messages that bring a key each:
//
//   static constexpr std::size_t block_bytes, shared_bytes;
//   static constexpr unsigned threads_per_block, resident_blocks, grid_blocks;
//   static constexpr unsigned key_vectors;      // of four words: an expanded key
//   template <Direction direction>
//   static void expand_key(const uint8_t* key, size_t key_bytes, const GpuMessageKeys& keys);   // stores all key_vectors
//   template <Direction direction>
//   void prepare(uint8_t* shared);              // all threads, once
//   template <Direction direction>
//   void crypt(const GpuMessageKeys& keys, size_t key_bytes, Block& x);
//
// or, where a thread keeps a part of its message's key in registers:
//
//   struct HeldKeys { explicit HeldKeys(const GpuMessageKeys& keys); ... };
//   void crypt(const HeldKeys& keys, Block& x);  // one function: the keys were expanded for the direction
//
// Only nvcc reads this file.
#pragma once

#include "engine/engines/cuda/kernels/range_kernel.hpp"
#include "engine/modes/device_batches/messages_anywhere.hpp"

namespace phalanx {
namespace {

template <class Core>
concept HoldsKeys = requires {
  typename Core::HeldKeys;
};

template <class Core>
using BlockOf = GpuBlock<Core::block_bytes / 4>;

/// Every message of the batch, by what crypt_of(message number) gives: a function of the thread over a block. `anywhere`: it
/// has rests; else it has no owners.
template <bool anywhere, class Block, class CryptOf>
__device__ void crypt_batch(const GpuBatch& batch, Mode mode, Direction direction, CryptOf crypt_of) {
  constexpr unsigned num_words = sizeof(Block) / 4;
  const std::uint64_t num_threads = std::uint64_t{gridDim.x} * blockDim.x;
  const bool has_iv = mode != Mode::ecb;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < batch.num_messages; i += num_threads) {
    std::uint8_t* const iv = batch.ivs + 16 * i;
    GpuMessageStepsOf<num_words> steps{step_of(mode, direction), has_iv ? load_block<num_words>(iv, 0, true) : Block{}, {}};
    const auto crypt_block = crypt_of(i);
    if constexpr (anywhere) {
      crypt_message_anywhere(batch.messages[i], batch.rests[i], steps, crypt_block);
    } else {
      crypt_message(batch.messages[i], steps, crypt_block);
    }
    if (has_iv) store_block<num_words>(iv, 0, steps.chain, true);
  }
}

template <class Core, class Key, Direction cipher_direction, bool anywhere>
__global__ void __launch_bounds__(Core::threads_per_block, resident_blocks<Core>)
    crypt_batch_kernel(const __grid_constant__ GpuBatch batch, Mode mode, Direction direction) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  using Block = BlockOf<Core>;
  Core core;
  core.template prepare<cipher_direction>(Key::schedule(), shared);
  crypt_batch<anywhere, Block>(batch, mode, direction, [&](std::uint64_t /*i*/) {
    return [&](Block& x) { core.template crypt<cipher_direction>(Key::schedule(), &x); };
  });
  if constexpr (WipesSharedMemory<Core>) core.finish(shared);
}

template <class Core, Direction cipher_direction>
__global__ void expand_keys_kernel(const __grid_constant__ GpuBatch batch) {
  const std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x;
  if (i >= batch.num_keys()) return;
  const GpuMessageKeys keys{static_cast<std::uint8_t*>(batch.scratch), batch.num_keys(), i};
  Core::template expand_key<cipher_direction>(batch.key(i), batch.key_bytes, keys);
}

template <class Core, Direction cipher_direction, bool anywhere>
__global__ void __launch_bounds__(Core::threads_per_block, resident_blocks<Core>)
    crypt_keyed_batch_kernel(const __grid_constant__ GpuBatch batch, Mode mode, Direction direction) {
  extern __shared__ __align__(1024) std::uint8_t shared[];
  using Block = BlockOf<Core>;
  Core core;
  core.template prepare<cipher_direction>(shared);
  crypt_batch<anywhere, Block>(batch, mode, direction, [&](std::uint64_t i) {
    auto* const expanded = static_cast<std::uint8_t*>(batch.scratch);
    const GpuMessageKeys keys = anywhere ? GpuMessageKeys{expanded, batch.num_keys(), batch.key_of(i)}
                                         : GpuMessageKeys{expanded, batch.num_messages, i};
    if constexpr (HoldsKeys<Core>) {
      return [&core, held = typename Core::HeldKeys(keys)](Block& x) { core.crypt(held, x); };
    } else {
      return [&, keys](Block& x) { core.template crypt<cipher_direction>(keys, batch.key_bytes, x); };
    }
  });
}

/// How a launch spreads its messages: over all multiprocessors before any of them gets full.
struct MessageGrid {
  unsigned num_blocks, block_threads;

  MessageGrid(std::uint64_t num_messages, std::uint64_t most_blocks, unsigned most_threads) {
    constexpr std::uint64_t fewest_threads = 128;  // which fill a core's tables
    const std::uint64_t even_share = divide_up(divide_up(num_messages, most_blocks), 32) * 32;
    const std::uint64_t threads = even_share < fewest_threads ? fewest_threads : even_share;
    block_threads = threads < most_threads ? static_cast<unsigned>(threads) : most_threads;
    const std::uint64_t blocks = divide_up(num_messages, block_threads);
    num_blocks = static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
  }
};

template <class Core, class Kernel, class... Arguments>
cudaError_t launch_over_messages(Kernel kernel, std::uint64_t num_messages, cudaStream_t stream,
                                 const Arguments&... arguments) {
  DeviceLimits limits{};
  cudaError_t error = find_limits(limits);
  if (error == cudaSuccess) error = allow_shared_memory(reinterpret_cast<const void*>(kernel), Core::shared_bytes);
  if (error != cudaSuccess) return error;
  const MessageGrid grid(num_messages, std::uint64_t{limits.multiprocessors} * Core::grid_blocks, Core::threads_per_block);
  kernel<<<grid.num_blocks, grid.block_threads, Core::shared_bytes, stream>>>(arguments...);
  return cudaGetLastError();
}

/// Messages under the key in place: Core. Messages with a key each: KeyedCore.
template <class Core, class KeyedCore, class Key>
struct MessageBatch {
  template <Mode mode, Direction direction>
  static cudaError_t launch(const GpuBatch& batch, cudaStream_t stream) {
    constexpr Direction cipher_direction = step_of(mode, direction).cipher_direction;
    if (batch.num_messages == 0) return cudaSuccess;
    if (batch.keys == nullptr) {
      constexpr auto* any = crypt_batch_kernel<Core, Key, cipher_direction, true>;
      constexpr auto* plain = crypt_batch_kernel<Core, Key, cipher_direction, false>;
      return launch_over_messages<Core>(batch.rests != nullptr ? any : plain, batch.num_messages, stream, batch, mode,
                                        direction);
    }
    constexpr unsigned expanding_threads = 128;
    const auto num_blocks = static_cast<unsigned>(divide_up(batch.num_keys(), expanding_threads));
    expand_keys_kernel<KeyedCore, cipher_direction><<<num_blocks, expanding_threads, 0, stream>>>(batch);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    constexpr Direction kernel_direction = HoldsKeys<KeyedCore> ? Direction::encrypt : cipher_direction;
    constexpr auto* any = crypt_keyed_batch_kernel<KeyedCore, kernel_direction, true>;
    constexpr auto* plain = crypt_keyed_batch_kernel<KeyedCore, kernel_direction, false>;
    return launch_over_messages<KeyedCore>(batch.rests != nullptr ? any : plain, batch.num_messages, stream, batch, mode,
                                           direction);
  }
  static std::size_t scratch_bytes(std::uint64_t /*num_messages*/, std::uint64_t num_keys, std::size_t /*key_bytes*/ = 0) {
    return num_keys * KeyedCore::key_vectors * 16;
  }

  template <Mode mode>
  static constexpr void set_mode(GpuKernel& kernel) {
    kernel.batch[static_cast<unsigned>(mode)][0] = launch<mode, Direction::encrypt>;
    kernel.batch[static_cast<unsigned>(mode)][1] = launch<mode, Direction::decrypt>;
  }
  static constexpr GpuKernel add_to(GpuKernel kernel) {
    set_mode<Mode::ecb>(kernel);
    set_mode<Mode::cbc>(kernel);
    set_mode<Mode::ctr>(kernel);
    set_mode<Mode::cfb>(kernel);
    set_mode<Mode::ofb>(kernel);
    set_mode<Mode::xts>(kernel);
    kernel.batch_scratch_bytes = scratch_bytes;
    return kernel;
  }
};

}  // namespace
}  // namespace phalanx

// Makes the table of functions (engines/cpu/kernel.hpp) out of a core: the modes over it, behind plain pointers.
#pragma once

#include "engines/cpu/batch_table.hpp"
#include "engines/cpu/kernel.hpp"
#include "engines/cpu/kernel_core.hpp"
#include "modes/gcm_range.hpp"
#include "modes/ghash.hpp"
#include "modes/range_modes.hpp"
#include "modes/xts_range.hpp"

namespace phalanx {
namespace {

/// A mode whose blocks are independent, as a RangeFunction.
template <class Core, class ParallelMode>
void parallel_range(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                    std::size_t num_blocks) {
  const std::size_t serial_blocks = serial_blocks_of<Core>();
  const auto crypt = [&]() PHALANX_INLINE_LAMBDA {
    crypt_groups<ParallelMode>(schedule_of<Core>(schedule), iv, in, out, num_blocks, serial_blocks);
  };
  if constexpr (round_stack_bytes_of<Core>() == 0) {
    crypt();
  } else {
    apart(crypt);
    if (num_blocks > serial_blocks) wipe_dead_stack<round_stack_bytes_of<Core>()>();  // crypt_block leaves nothing
  }
}

/// A mode in which each block needs the one before.
template <class Core, void (*serial_mode)(const typename Core::Schedule&, std::uint8_t*, const std::uint8_t*, std::uint8_t*,
                                          std::size_t)>
void serial_range(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t num_blocks) {
  serial_mode(schedule_of<Core>(schedule), iv, in, out, num_blocks);
}

template <class Core>
void expand_key_of(const std::uint8_t* key, std::size_t key_bytes, void* schedule) {
  call_and_wipe<Core::key_stack_bytes>(
      [&] { Core::expand_key(key, key_bytes, *static_cast<typename Core::Schedule*>(schedule)); });
}

template <class Core, Direction direction>
constexpr RangeFunction xts_range() {
  if constexpr (Core::block_bytes == 16) return parallel_range<Core, Xts<Core, direction>>;
  return nullptr;  // XTS is defined for 128-bit blocks only
}

template <class Core, class Hash, Direction direction>
void gcm_of(const void* schedule, const void* hash_key, std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in,
            std::uint8_t* out, std::size_t num_blocks, const std::uint8_t* last, std::size_t num_last) {
  const auto ctr = [schedule](std::uint8_t* iv, const std::uint8_t* from, std::uint8_t* to, std::size_t count) {
    parallel_range<Core, Ctr<Core>>(schedule, iv, from, to, count);
  };
  const auto crypt = [&]() PHALANX_INLINE_LAMBDA {
    gcm_crypt<Core, Hash, direction>(schedule_of<Core>(schedule), *static_cast<const typename Hash::Key*>(hash_key), counter,
                                     y, in, out, num_blocks, last, num_last, ctr);
  };
  call_and_wipe<Hash::update_stack_bytes>(crypt);
}

template <class Core, class Hash, Direction direction>
constexpr GcmFunction gcm_function() {
  if constexpr (Core::block_bytes == 16) return gcm_of<Core, Hash, direction>;
  return nullptr;  // and so is GCM
}

/// `Hash` is the instruction set's Ghash; 64-bit blocks have none.
template <class Core, class Hash = void>
constexpr Kernel make_kernel() {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  Kernel kernel = {
      Core::block_bytes,
      Core::lanes,
      &tuned_serial_blocks<Core>,
      sizeof(typename Core::Schedule),
      sizeof(typename Core::LaneSchedules),
      expand_key_of<Core>,
      0,
      0,
      0,
      nullptr,
      {
          {parallel_range<Core, Ecb<Core, encrypt>>, parallel_range<Core, Ecb<Core, decrypt>>},
          {serial_range<Core, cbc_encrypt<Core>>, parallel_range<Core, CbcDecrypt<Core>>},
          {parallel_range<Core, Ctr<Core>>, parallel_range<Core, Ctr<Core>>},
          {serial_range<Core, cfb_encrypt<Core>>, parallel_range<Core, CfbDecrypt<Core>>},
          {serial_range<Core, ofb<Core>>, serial_range<Core, ofb<Core>>},
          {xts_range<Core, encrypt>(), xts_range<Core, decrypt>()},
      },
      {gcm_function<Core, Hash, encrypt>(), gcm_function<Core, Hash, decrypt>()},
      {},
      {},
      {},
  };
  add_batch_functions<Core>(kernel);
  return kernel;
}

template <class Hash>
void expand_hash_key_of(const std::uint8_t* hash_subkey, void* key) {
  call_and_wipe<Hash::key_stack_bytes>([&] { Hash::expand_key(hash_subkey, *static_cast<typename Hash::Key*>(key)); });
}

template <class Hash>
void hash_update_of(const void* key, std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks,
                    const std::uint8_t* last, std::size_t num_last) {
  const auto update = [&]() PHALANX_INLINE_LAMBDA {
    Hash::update(*static_cast<const typename Hash::Key*>(key), y, in, num_blocks, last, num_last);
  };
  call_and_wipe<Hash::update_stack_bytes>(update);
}

/// The table of functions of one Ghash.
template <class Hash>
constexpr GhashKernel make_ghash_kernel() {
  return {sizeof(typename Hash::Key), expand_hash_key_of<Hash>, hash_update_of<Hash>};
}

}  // namespace
}  // namespace phalanx

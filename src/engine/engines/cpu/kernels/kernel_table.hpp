// Makes the table of functions (engine/engines/cpu/kernel.hpp) out of a core: the modes over it, behind plain pointers.
#pragma once

#include "engine/engines/cpu/kernel.hpp"
#include "engine/engines/cpu/kernels/batch_table.hpp"
#include "engine/engines/cpu/kernels/kernel_core.hpp"
#include "engine/modes/gcm_short_message.hpp"
#include "engine/modes/ghash.hpp"
#include "engine/modes/range_modes.hpp"
#include "engine/modes/xts_range.hpp"

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
  if constexpr (Core::round_stack_bytes == 0) {
    crypt();
  } else {
    apart(crypt);
    const bool is_clean = num_blocks <= serial_blocks || num_blocks <= Core::clean_blocks;  // crypt_block is
    if (!is_clean) wipe_stack_below<Core::round_stack_bytes>();
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
  call_then_wipe_stack<Core::key_stack_bytes>(
      [&] { Core::expand_key(key, key_bytes, *static_cast<typename Core::Schedule*>(schedule)); });
}

template <class Core, Direction direction>
constexpr RangeFunction xts_range() {
  if constexpr (Core::block_bytes == 16) return parallel_range<Core, Xts<Core, direction>>;
  return nullptr;  // XTS is defined for 128-bit blocks only
}

template <class Hash>
const typename Hash::Key& hash_key_of(const void* hash_key) {
  return *static_cast<const typename Hash::Key*>(hash_key);
}

template <class Core, class Hash, Direction direction>
void gcm_of(const void* schedule, const void* hash_key, std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in,
            std::uint8_t* out, std::size_t num_blocks, const std::uint8_t* last, std::size_t num_last) {
  const auto& key = hash_key_of<Hash>(hash_key);
  const typename Hash::InMemory end{last, num_last};
  if constexpr (hashes_beside<Core, Hash>()) {
    const GcmCounter first = GcmCounter::load(counter);
    Hash::store(gcm_crypt<Core, Hash, direction>(schedule_of<Core>(schedule), key, first, Hash::load(y), in, out, num_blocks,
                                                 end, serial_blocks_of<Core>()),
                y);
    first.after(num_blocks).store(counter);
  } else {
    const auto ctr = [schedule](std::uint8_t* iv, const std::uint8_t* from, std::uint8_t* to, std::size_t count) {
      parallel_range<Core, Ctr<Core>>(schedule, iv, from, to, count);
    };
    const auto crypt = [&]() PHALANX_INLINE_LAMBDA {
      Hash::store(gcm_crypt_by_stretches<Core, Hash, direction>(key, counter, Hash::load(y), in, out, num_blocks, end, ctr),
                  y);
    };
    call_then_wipe_stack<Hash::update_stack_bytes>(crypt);
  }
}

// This is out of line for its frame, which short messages have no use for where they have functions of their own.
template <class Core, class Hash>
__attribute__((noinline)) void gcm_seal_long(const void* schedule, const void* hash_key, const AeadText& text) {
  gcm_seal<Core, Hash>(schedule_of<Core>(schedule), hash_key_of<Hash>(hash_key), text, serial_blocks_of<Core>());
}
template <class Core, class Hash>
void gcm_seal_of(const void* schedule, const void* hash_key, const AeadText& text) {
  if constexpr (takes_short_messages<Core>()) {
    if (text.num_bytes <= most_short_bytes)
      return gcm_seal_short<Core, Hash>(schedule_of<Core>(schedule), hash_key_of<Hash>(hash_key), text);
  }
  gcm_seal_long<Core, Hash>(schedule, hash_key, text);
}
template <class Core, class Hash>
__attribute__((noinline)) bool gcm_open_long(const void* schedule, const void* hash_key, const AeadText& text,
                                             bool in_one_pass) {
  const auto ctr = [schedule](std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
    parallel_range<Core, Ctr<Core>>(schedule, counter, in, out, num_blocks);
  };
  return gcm_open<Core, Hash>(schedule_of<Core>(schedule), hash_key_of<Hash>(hash_key), text, in_one_pass,
                              serial_blocks_of<Core>(), ctr);
}
template <class Core, class Hash>
bool gcm_open_of(const void* schedule, const void* hash_key, const AeadText& text, bool in_one_pass) {
  if constexpr (takes_short_messages<Core>()) {
    if (text.num_bytes <= most_short_bytes)
      return gcm_open_short<Core, Hash>(schedule_of<Core>(schedule), hash_key_of<Hash>(hash_key), text);
  }
  return gcm_open_long<Core, Hash>(schedule, hash_key, text, in_one_pass);
}
template <class Core, class Hash>
constexpr void add_gcm_functions(Kernel& kernel) {
  if constexpr (Core::block_bytes == 16) {  // as XTS
    kernel.gcm[static_cast<unsigned>(Direction::encrypt)] = gcm_of<Core, Hash, Direction::encrypt>;
    kernel.gcm[static_cast<unsigned>(Direction::decrypt)] = gcm_of<Core, Hash, Direction::decrypt>;
    if constexpr (hashes_beside<Core, Hash>()) {
      kernel.gcm_seal = gcm_seal_of<Core, Hash>;
      kernel.gcm_open = gcm_open_of<Core, Hash>;
    }
  }
}

/// `Hash` is the instruction set's Ghash; 64-bit blocks have none.
template <class Core, class Hash = void>
constexpr Kernel make_kernel() {
  static_assert(is_kernel_core<Core>());
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  Kernel kernel{
      .block_bytes = Core::block_bytes,
      .lanes = Core::lanes,
      .serial_blocks = &tuned_serial_blocks<Core>,
      .schedule_bytes = sizeof(typename Core::Schedule),
      .lane_schedules_bytes = sizeof(typename Core::LaneSchedules),
      .expand_key = expand_key_of<Core>,
  };
  const auto set = [&kernel](Mode mode, RangeFunction on_encrypt, RangeFunction on_decrypt) {
    kernel.range[static_cast<unsigned>(mode)][0] = on_encrypt;
    kernel.range[static_cast<unsigned>(mode)][1] = on_decrypt;
  };
  set(Mode::ecb, parallel_range<Core, Ecb<Core, encrypt>>, parallel_range<Core, Ecb<Core, decrypt>>);
  set(Mode::cbc, serial_range<Core, crypt_serially<Core, Mode::cbc, encrypt>>, parallel_range<Core, CbcDecrypt<Core>>);
  set(Mode::ctr, parallel_range<Core, Ctr<Core>>, parallel_range<Core, Ctr<Core>>);
  set(Mode::cfb, serial_range<Core, crypt_serially<Core, Mode::cfb, encrypt>>, parallel_range<Core, CfbDecrypt<Core>>);
  constexpr RangeFunction ofb = serial_range<Core, crypt_serially<Core, Mode::ofb, encrypt>>;
  set(Mode::ofb, ofb, ofb);
  set(Mode::xts, xts_range<Core, encrypt>(), xts_range<Core, decrypt>());
  add_gcm_functions<Core, Hash>(kernel);
  add_batch_functions<Core>(kernel);
  return kernel;
}

template <class Hash>
void expand_hash_key_of(const std::uint8_t* hash_subkey, void* key) {
  call_then_wipe_stack<Hash::key_stack_bytes>(
      [&] { Hash::expand_key(hash_subkey, *static_cast<typename Hash::Key*>(key)); });
}

template <class Hash>
void hash_update_of(const void* key, std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks,
                    const std::uint8_t* last, std::size_t num_last) {
  const auto update = [&]() PHALANX_INLINE_LAMBDA {
    if (num_blocks + num_last == 0) return;
    const typename Hash::InMemory end{last, num_last};
    Hash::store(Hash::update(hash_key_of<Hash>(key), Hash::load(y), in, num_blocks, end), y);
  };
  call_then_wipe_stack<Hash::update_stack_bytes>(update);
}

/// The table of functions of one Ghash.
template <class Hash>
constexpr GhashKernel make_ghash_kernel() {
  return {
      .key_bytes = sizeof(typename Hash::Key),
      .expand_key = expand_hash_key_of<Hash>,
      .update = hash_update_of<Hash>,
  };
}

}  // namespace
}  // namespace phalanx

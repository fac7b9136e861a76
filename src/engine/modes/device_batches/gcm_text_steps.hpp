// The text of GCM messages as a warp crypts it: GCTR of SP 800-38D section 6.5. A step is 32 blocks, or a multiple, of one
// message: of block i of the step, lane l has block 32 i + l.
#pragma once

#include "engine/lanes/gpu_key_vectors.hpp"
#include "engine/modes/device_batches/device_text.hpp"
#include "engine/modes/device_batches/gcm_messages.hpp"
#include "engine/modes/gpu_modes.hpp"

namespace phalanx {
namespace {

/// One lane's part of a message's text, over a core as gpu_modes.hpp describes it.
template <class Core>
struct GcmTextLane {
  static constexpr unsigned num_blocks = Core::blocks_per_thread;
  using Block = GpuBlock128;

  DeviceText text;
  std::uint8_t* out;
  bool out_is_aligned;
  std::uint64_t counter_high;
  std::uint64_t counter_low;  ///< of block 0: 2, since 1 is J_0; 1 where all is bare. No message makes its 32 bits wrap
  unsigned lane;

  PHALANX_INLINE GcmTextLane(const DeviceBatchJob& job, const DeviceBatchMessage& message, unsigned lane_)
      : text(job.arrays.in + message.in, message.num_bytes),
        out(job.arrays.out + message.out),
        out_is_aligned(is_aligned<4>(out)),
        counter_high(message.nonce_high),
        counter_low(message.nonce_low << 32 | (job.arrays.is_bare ? 1 : 2)),
        lane(lane_) {}

  PHALANX_INLINE std::uint64_t block_of(std::uint64_t step, unsigned i) const {
    return step * (32 * num_blocks) + 32 * i + lane;
  }
  PHALANX_INLINE void load(std::uint64_t step, Block x[num_blocks]) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < num_blocks; ++i) x[i] = text.load(block_of(step, i));
  }
  PHALANX_INLINE void store(std::uint64_t step, const Block x[num_blocks]) const {
    PHALANX_UNROLL
    for (unsigned i = 0; i < num_blocks; ++i) text.store(out, out_is_aligned, block_of(step, i), x[i]);
  }
  PHALANX_INLINE void make_key_stream(Core& core, const typename Core::Schedule& schedule, std::uint64_t step,
                                      Block x[num_blocks]) const {
    if constexpr (EncryptsCounters<Core>) {
      core.encrypt_counters(schedule, counter_high, counter_low + block_of(step, 0), x);
    } else {
      PHALANX_UNROLL
      for (unsigned i = 0; i < num_blocks; ++i) x[i] = counter_block<4>(counter_high, counter_low + block_of(step, i));
      core.template crypt<Direction::encrypt>(schedule, x);
    }
  }

  /// A core of one block a thread: the next block is read while this one is crypted.
  PHALANX_INLINE void crypt_reading_ahead(Core& core, const typename Core::Schedule& schedule, std::uint64_t first,
                                          std::uint64_t stop) const {
    Block next = text.load(block_of(first, 0));
    for (std::uint64_t step = first; step < stop; ++step) {
      const Block in = next;
      if (step + 1 < stop) next = text.load(block_of(step + 1, 0));
      Block x;
      make_key_stream(core, schedule, step, &x);
      x = x ^ in;
      store(step, &x);
    }
  }
  PHALANX_INLINE void crypt(Core& core, const typename Core::Schedule& schedule, std::uint64_t first,
                            std::uint64_t stop) const {
    if constexpr (num_blocks == 1) {
      crypt_reading_ahead(core, schedule, first, stop);
    } else {
      for (std::uint64_t step = first; step < stop; ++step) {
        Block x[num_blocks];
        Block in[num_blocks];
        make_key_stream(core, schedule, step, x);
        load(step, in);
        PHALANX_UNROLL
        for (unsigned i = 0; i < num_blocks; ++i) x[i] = x[i] ^ in[i];
        store(step, x);
      }
    }
  }
  PHALANX_INLINE void clear(std::uint64_t first, std::uint64_t stop) const {
    const Block zeros[num_blocks] = {};
    for (std::uint64_t step = first; step < stop; ++step) store(step, zeros);
  }
};

/// Returns whether the tags that were found let a message's text out.
PHALANX_INLINE bool is_let_out(const DeviceBatchJob& job, std::uint64_t message) {
  return !job.is_open ||
         (job.verdicts[message] == verdict_authentic && (!job.arrays.opens_all_or_none || *job.all_authentic != 0));
}

/// Does one lane's part of a warp's share of all texts. schedule_of(message) is its key. If a message is not let out,
/// zeros are written, or nothing in place.
template <class Core, class ScheduleOf>
PHALANX_INLINE void crypt_gcm_share(Core& core, ScheduleOf schedule_of, const DeviceBatchJob& job, std::uint64_t share,
                                    std::uint64_t num_shares, unsigned lane) {
  const GcmUnits units{job.crypt_starts, job.arrays.num_messages};
  const auto crypt_piece = [&](std::uint64_t message, std::uint64_t first, std::uint64_t stop) {
    const GcmTextLane<Core> text(job, job.messages[message], lane);
    if (!is_let_out(job, message)) {
      if (job.arrays.in != job.arrays.out) text.clear(first, stop);
      return;
    }
    if constexpr (requires { core.forget_counters(); }) core.forget_counters();
    text.crypt(core, schedule_of(message), first, stop);
  };
  for_each_gcm_piece(units, share, num_shares, crypt_piece);
}

/// A core for messages with a key each takes the key of a text in this type: KeyedCore::TextKeys, or as it lies in
/// memory.
template <class KeyedCore>
struct GcmTextKeys {
  using Type = GpuMessageKeys;
};
template <class KeyedCore>
requires requires { typename KeyedCore::TextKeys; }
struct GcmTextKeys<KeyedCore> {
  using Type = typename KeyedCore::TextKeys;
};

/// A core for messages with a key each (batch_kernel.hpp) as GcmTextLane takes one.
template <class KeyedCore>
struct GcmKeyedCore {
  static constexpr unsigned blocks_per_thread = 1;
  static constexpr std::size_t block_bytes = 16;
  using Schedule = typename GcmTextKeys<KeyedCore>::Type;

  KeyedCore core;
  unsigned key_bytes;

  template <Direction direction>
  PHALANX_INLINE void crypt(const Schedule& keys, GpuBlock128 x[1]) {
    core.template crypt<direction>(keys, key_bytes, x[0]);
  }
  PHALANX_INLINE void forget_counters() {
    if constexpr (requires { core.forget_counters(); }) core.forget_counters();
  }
  PHALANX_INLINE void encrypt_counters(const Schedule& keys, std::uint64_t high, std::uint64_t low,
                                       GpuBlock128 x[1]) requires requires {
    core.encrypt_counters(keys, high, low, x[0]);
  }
  { core.encrypt_counters(keys, high, low, x[0]); }
};

/// A message's expanded key: in one piece, since all lanes of a warp read it together.
PHALANX_INLINE GpuMessageKeys gcm_keys_of(const DeviceBatchJob& job, std::uint64_t message) {
  return {job.key_vectors + message * job.num_key_vectors * 16, 1, 0};
}

}  // namespace
}  // namespace phalanx

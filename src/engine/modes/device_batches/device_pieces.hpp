// A batch of a bare cipher in a GPU's memory, cut into pieces for threads: messages of GpuBatch, each with the chaining
// state before it. Where blocks are independent a message has as many pieces as it takes to fill the GPU; else it is one.
#pragma once

#include "engine/modes/device_batches/device_text.hpp"
#include "engine/modes/device_batches/gcm_messages.hpp"
#include "engine/modes/gpu_range.hpp"
#include "engine/modes/gpu_tweaks.hpp"
#include "engine/modes/mode.hpp"

namespace phalanx {

/// A call of a bare cipher: what its kernels share. Plain data.
struct DevicePiecesJob {
  static constexpr unsigned num_powers = 30;
  static constexpr unsigned power_blocks = 1024;

  DeviceBatchJob job;  ///< whose crypt_starts count pieces: step_blocks is a piece's size, in 16 bytes
  Mode mode;
  Direction direction;
  unsigned block_bytes;
  bool is_whole;                        ///< each message is a piece: its own, empty ones too
  std::uint32_t powers[num_powers][4];  ///< XTS: alpha^(power_blocks * 2^k)

  // These arrays are scratch memory, with an entry a message. It holds secrets, and its owner wipes it.
  std::uint8_t* tweaks;        ///< XTS: first what was given, then what encrypts it made of it
  GpuMessage* tweak_messages;  ///< XTS, keys of messages: each tweak as a message of one block
  std::uint8_t* wide_keys;     ///< keys of two-key triple DES as the kernel takes them; else null
  std::uint64_t num_pieces;    ///< at most
  GpuMessage* pieces;          ///< an entry a piece from here on
  std::uint8_t* ivs;           ///< 16 bytes each
  std::uint8_t* rests;         ///< GpuBatch::rests
  std::uint64_t* owners;       ///< which message it is of
};

/// A call over consecutive sectors gives these. They say where sector i begins, and its tweak: a number of `numbers`,
/// or first_tweak + i * tweak_step.
struct GpuSectorArrays {
  std::uint64_t count;
  std::uint64_t sector_bytes;
  std::uint64_t num_bytes;       ///< of all
  const std::uint64_t* numbers;  ///< nullptr: none
  std::uint64_t first_tweak, tweak_step;
  std::uint64_t* offsets;  ///< count + 1
  std::uint8_t* ivs;       ///< 16 bytes each
};

namespace {

/// tweak * factor. The factor is no secret.
PHALANX_INLINE GpuBlock128 tweak_product(GpuBlock128 tweak, const std::uint32_t factor[4]) {
  GpuBlock128 product{};
  PHALANX_NO_UNROLL
  for (unsigned i = 128; i-- != 0;) {
    product = times_alpha(product, 1);
    if ((factor[i / 32] >> (i % 32) & 1) != 0) product = product ^ tweak;
  }
  return product;
}

/// The tweak of block `block` of a data unit.
PHALANX_INLINE GpuBlock128 tweak_at(const DevicePiecesJob& call, GpuBlock128 tweak, std::uint64_t block) {
  std::uint64_t powers = block / DevicePiecesJob::power_blocks;
  for (unsigned k = 0; powers != 0; ++k, powers >>= 1) {
    if (powers % 2 != 0) tweak = tweak_product(tweak, call.powers[k]);
  }
  const auto rest = static_cast<unsigned>(block % DevicePiecesJob::power_blocks);
  PHALANX_NO_UNROLL
  for (unsigned i = 0; i < rest / 32; ++i) tweak = times_alpha_32(tweak);
  return times_alpha(tweak, rest % 32);
}

/// A message's iv as a block; of eight bytes, in the first two words.
PHALANX_INLINE GpuBlock128 iv_block(const DevicePiecesJob& call, std::uint64_t high, std::uint64_t low) {
  if (call.block_bytes == 16) return counter_block<4>(high, low);
  const GpuBlock64 x = counter_block<2>(0, low);
  return {{x.word[0], x.word[1], 0, 0}};
}

/// The chaining state before byte `start` of a message, a multiple of the block.
PHALANX_INLINE GpuBlock128 chain_at(const DevicePiecesJob& call, std::uint64_t owner, std::uint64_t start) {
  const DeviceBatchMessage& message = call.job.messages[owner];
  const ChainUpdate next = step_of(call.mode, call.direction).next;
  const std::uint64_t block = start / call.block_bytes;
  if (next == ChainUpdate::tweak) return tweak_at(call, load_block<4>(call.tweaks, owner, true), block);
  if (next == ChainUpdate::counter) {
    const std::uint64_t low = message.nonce_low + block;
    return iv_block(call, message.nonce_high + (low < block ? 1 : 0), low);
  }
  if (start == 0 || next != ChainUpdate::input) return iv_block(call, message.nonce_high, message.nonce_low);
  const std::uint8_t* const before = call.job.arrays.in + message.in + start - call.block_bytes;
  if (call.block_bytes == 16) return load_block<4>(before, 0, false);
  const GpuBlock64 x = load_block<2>(before, 0, false);
  return {{x.word[0], x.word[1], 0, 0}};
}

/// Piece `index`: which message it is of, and where it starts there. False if there is none.
PHALANX_INLINE bool find_piece(const DevicePiecesJob& call, std::uint64_t index, std::uint64_t& owner,
                               std::uint64_t& start) {
  owner = index;
  start = 0;
  if (*call.job.num_misplaced != 0) return false;
  if (call.is_whole) return true;
  const GcmUnits units{call.job.crypt_starts, call.job.arrays.num_messages};
  if (index >= units.count()) return false;
  owner = units.find(index);
  start = (index - units.start(owner)) * (std::uint64_t{16} * call.job.step_blocks);
  return true;
}

/// Writes piece `index` and its chaining state. A piece that does not exist is empty.
PHALANX_INLINE void cut_piece(const DevicePiecesJob& call, std::uint64_t index) {
  GpuMessage piece{};
  std::uint8_t num_rest = 0;
  GpuBlock128 chain{};
  std::uint64_t owner = 0;
  std::uint64_t start = 0;
  if (find_piece(call, index, owner, start)) {
    const DeviceBatchMessage& message = call.job.messages[owner];
    const std::uint64_t piece_bytes = std::uint64_t{16} * call.job.step_blocks;
    const std::uint64_t left = message.num_bytes - start;
    // The last piece has the block that XTS steals from, and the bytes behind it. So it may be longer than others by
    // less than a block.
    const bool is_last = call.is_whole || left <= piece_bytes || (call.job.arrays.steals && left < piece_bytes + 16);
    const std::uint64_t num_bytes = is_last ? left : piece_bytes;
    piece.in = call.job.arrays.in + message.in + start;
    piece.out = call.job.arrays.out + message.out + start;
    piece.num_blocks = num_bytes / call.block_bytes;
    num_rest = static_cast<std::uint8_t>(num_bytes % call.block_bytes);
    chain = chain_at(call, owner, start);
  } else {
    owner = 0;
  }
  call.pieces[index] = piece;
  call.rests[index] = num_rest;
  store_block<4>(call.ivs, index, chain, true);
  if (call.owners != nullptr) call.owners[index] = owner;
}

/// Writes the verdict of message `index`, when all are checked, and in XTS its tweak as it was given.
PHALANX_INLINE void judge_message(const DevicePiecesJob& call, std::uint64_t index) {
  call.job.verdicts[index] = *call.job.num_misplaced != 0 ? verdict_misplaced : verdict_authentic;
  if (call.mode != Mode::xts) return;
  const DeviceBatchMessage& message = call.job.messages[index];
  store_block<4>(call.tweaks, index, counter_block<4>(message.nonce_high, message.nonce_low), true);
  std::uint8_t* const tweak = call.tweaks + 16 * index;
  if (call.tweak_messages != nullptr) call.tweak_messages[index] = {tweak, tweak, 1};
}

}  // namespace
}  // namespace phalanx

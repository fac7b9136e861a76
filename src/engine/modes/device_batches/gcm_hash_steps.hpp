// A warp computes GHASH (SP 800-38D section 6.4) of GCM messages here. Lane l takes every 32nd block of a message, so
// that the message's last block is lane 31's. Zeros stand for the blocks that are missing in front, and change nothing.
// A lane hashes its blocks under H^32. Then lane l's value counts H^(32 - l) times.
#pragma once

#include "engine/modes/device_batches/device_text.hpp"
#include "engine/modes/device_batches/gcm_messages.hpp"
#include "engine/modes/ghash_tables.hpp"

namespace phalanx {
namespace {

/// These powers of the hash subkey H are as secret as H.
struct alignas(16) GcmHashKey {
  GhashElement lane[32];      ///< [i] is H^(i + 1)
  GhashElement near[1025];    ///< [i] is H^(32 i)
  GhashElement far[1025];     ///< [i] is H^(2^15 i)
  GhashElement farther[257];  ///< [i] is H^(2^25 i): for 2^33 blocks, the most that a message has

  /// x * H^(32 steps)
  PHALANX_INLINE GhashElement move(GhashElement x, std::uint64_t steps) const {
    if (steps % 1024 != 0) x = ghash_multiply(x, near[steps % 1024]);
    if (steps / 1024 % 1024 != 0) x = ghash_multiply(x, far[steps / 1024 % 1024]);
    if (steps >> 20 != 0) x = ghash_multiply(x, farther[steps >> 20]);
    return x;
  }
};

/// A message's associated data and its ciphertext are hashed, each padded to whole blocks.
struct GcmHashedText {
  DeviceText associated;
  DeviceText text;
  std::uint64_t num_associated;  ///< blocks
  std::uint64_t before;          ///< blocks of zeros in front

  PHALANX_INLINE GcmHashedText(const DeviceBatchJob& job, const DeviceBatchMessage& message)
      : associated(job.arrays.associated + message.associated, message.associated_bytes),
        text(job.is_open ? job.arrays.in + message.in : job.arrays.out + message.out, message.num_bytes),
        num_associated(gcm_blocks_of(message.associated_bytes)),
        before((0 - gcm_hashed_blocks(message)) % gcm_hash_lanes) {}

  PHALANX_INLINE GpuBlock128 load_block_of(std::uint64_t step, unsigned lane) const {
    const std::uint64_t block = step * gcm_hash_lanes + lane - before;  // in front: wraps, and neither text has it
    const std::uint64_t of_text = block - num_associated;
    if (of_text < text.num_whole && text.is_aligned) return load_block<4>(text.data, of_text, true);
    return block < num_associated ? associated.load(block) : text.load(of_text);
  }
  PHALANX_INLINE GhashElement load(std::uint64_t step, unsigned lane) const {
    return ghash_element(load_block_of(step, lane).word);
  }
  /// Word lane % 4 of blocks lane / 4, and 8, 16 and 24 behind it: what ghash_matrices.hpp has in a lane's rows, twice.
  PHALANX_INLINE void load_rows(std::uint64_t step, unsigned lane, std::uint32_t words[4]) const {
    PHALANX_UNROLL
    for (unsigned j = 0; j < 4; ++j) words[j] = 0;
    const std::uint64_t zeros_in_front = step == 0 ? before : 0;
    PHALANX_NO_UNROLL
    for (auto i = static_cast<unsigned>(zeros_in_front / 8); i < 4; ++i) {
      const GpuBlock128 block = load_block_of(step, 8 * i + lane / 4);
      const std::uint32_t low = lane % 2 == 0 ? block.word[0] : block.word[1];
      const std::uint32_t high = lane % 2 == 0 ? block.word[2] : block.word[3];
      const std::uint32_t word = lane % 4 < 2 ? low : high;
      PHALANX_UNROLL
      for (unsigned j = 0; j < 4; ++j) words[j] = i == j ? word : words[j];  // which keeps them in registers
    }
  }

  /// These are the steps of [first, stop) whose blocks are all in the text: the first, and how many there are. If the
  /// text is not aligned to words, the neighbours of these blocks are in it, too.
  struct WholeSteps {
    std::uint64_t first, count;
    unsigned shift;  ///< bytes from a word's address to the text's
  };
  [[nodiscard]] PHALANX_INLINE WholeSteps whole_steps(std::uint64_t first, std::uint64_t stop) const {
    const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(text.data) % 4);
    const std::uint64_t in_front = before + num_associated + (shift != 0 ? 1 : 0);
    const std::uint64_t begin = (in_front + gcm_hash_lanes - 1) / gcm_hash_lanes;
    const std::uint64_t end = (before + num_associated + text.num_whole - (shift != 0 ? 1 : 0)) / gcm_hash_lanes;
    const std::uint64_t from = begin < first ? first : begin;
    const std::uint64_t to = end < stop ? end : stop;
    if (text.num_whole == 0 || from >= to) return {stop, 0, shift};
    return {from, to - from, shift};
  }
  /// Where the words of such a step are that load_rows gives, 32 apart.
  [[nodiscard]] PHALANX_INLINE const std::uint32_t* rows_of(const WholeSteps& whole, unsigned lane) const {
    const std::uint64_t block = whole.first * gcm_hash_lanes - before - num_associated;
    return reinterpret_cast<const std::uint32_t*>(text.data + 16 * block - whole.shift) + lane;
  }
};

/// One lane's hash of the steps [first, stop), which are not none.
template <class Times>
PHALANX_INLINE GhashElement hash_gcm_steps(const Times& times, const GcmHashedText& hashed, std::uint64_t first,
                                           std::uint64_t stop, unsigned lane) {
  GhashElement y = hashed.load(first, lane);
  GhashElement next = first + 1 < stop ? hashed.load(first + 1, lane) : GhashElement{};
  for (std::uint64_t step = first + 1; step < stop; ++step) {
    const GhashElement x = next;
    if (step + 1 < stop) next = hashed.load(step + 1, lane);
    y = times.of(y) ^ x;
  }
  return y;
}

/// The sum over the lanes of a warp, in lane 0; on the host, whose lanes run one after another, each keeps its own.
PHALANX_INLINE GhashElement sum_of_warp(GhashElement y) {
#if defined(__CUDA_ARCH__)
  for (unsigned distance = 16; distance != 0; distance /= 2) {
    for (unsigned i = 0; i < 4; ++i) y.word[i] ^= __shfl_down_sync(0xffffffff, y.word[i], distance);
  }
#endif
  return y;
}

/// Adds a part to a message's hash, as blocks lie in memory.
PHALANX_INLINE void add_to_gcm_hash(std::uint32_t hash[4], GhashElement part, unsigned lane) {
#if defined(__CUDA_ARCH__)
  if (lane != 0) return;
  for (unsigned i = 0; i < 4; ++i) atomicXor(hash + i, reverse_bytes32(part.word[i]));
#else
  (void)lane;
  for (unsigned i = 0; i < 4; ++i) hash[i] ^= reverse_bytes32(part.word[i]);
#endif
}

/// A warp hashes the steps [first, stop) of a message, which are one at least.
struct GcmHashPiece {
  std::uint64_t index;
  const DeviceBatchMessage& message;
  std::uint64_t first, stop;
  std::uint64_t steps_behind;  ///< those that follow, of other warps
  std::uint32_t* hash;         ///< of the message: DeviceBatchJob::hashes
};

/// body(piece) for what a warp's share has of each message.
template <class Body>
PHALANX_INLINE void for_each_gcm_hash_piece(const DeviceBatchJob& job, std::uint64_t share, std::uint64_t num_shares,
                                            Body body) {
  const GcmUnits units{job.hash_starts, job.arrays.num_messages};
  for_each_gcm_piece(units, share, num_shares, [&](std::uint64_t index, std::uint64_t first, std::uint64_t stop) {
    const DeviceBatchMessage& message = job.messages[index];
    const std::uint64_t num_steps = gcm_hash_units(message) - gcm_product_units;
    if (stop > num_steps) stop = num_steps;
    if (first < stop) body(GcmHashPiece{index, message, first, stop, num_steps - stop, job.hashes[index]});
  });
}

/// Does one lane's part of a warp's share of all hashes. `times` multiplies by H^32.
template <class Times>
PHALANX_INLINE void hash_gcm_share(const Times& times, const GcmHashKey& key, const DeviceBatchJob& job, std::uint64_t share,
                                   std::uint64_t num_shares, unsigned lane) {
  for_each_gcm_hash_piece(job, share, num_shares, [&](const GcmHashPiece& piece) {
    const GhashElement y = hash_gcm_steps(times, GcmHashedText(job, piece.message), piece.first, piece.stop, lane);
    const GhashElement part = sum_of_warp(ghash_multiply(y, key.lane[gcm_hash_lanes - 1 - lane]));
    add_to_gcm_hash(piece.hash, key.move(part, piece.steps_behind), lane);
  });
}

/// A message's hash under a subkey of its own, as times.of of tables, by any two elements' product.
struct GcmSubkeyTimes {
  GhashElement power;  ///< H^32

  PHALANX_INLINE GhashElement of(GhashElement x) const { return ghash_multiply(x, power); }
};

/// H^(lane + 1): lanes know one another's powers, the first half those of the second.
PHALANX_INLINE GhashElement lane_power_of(GhashElement subkey, unsigned lane) {
  GhashElement power = subkey;
#if defined(__CUDA_ARCH__)
  for (unsigned known = 1; known < 32; known *= 2) {
    GhashElement a;
    GhashElement b;
    for (unsigned i = 0; i < 4; ++i) {
      a.word[i] = __shfl_up_sync(0xffffffff, power.word[i], known);
      b.word[i] = __shfl_sync(0xffffffff, power.word[i], known - 1);
    }
    const GhashElement product = ghash_multiply(a, b);
    if (lane >= known) power = product;
  }
#else
  for (unsigned i = 0; i < lane; ++i) power = ghash_multiply(power, subkey);
#endif
  return power;
}

/// Returns the value of lane `lane` of the warp. On the host, whose lanes run one after another, it returns the lane's
/// own value.
PHALANX_INLINE GhashElement of_lane(GhashElement value, [[maybe_unused]] unsigned lane) {
#if defined(__CUDA_ARCH__)
  for (unsigned i = 0; i < 4; ++i) value.word[i] = __shfl_sync(0xffffffff, value.word[i], lane);
#endif
  return value;
}

/// The value of lane 31 - lane, and of lane 31, of what lane_power_of gave.
PHALANX_INLINE void turn_lane_powers(GhashElement subkey, unsigned lane, GhashElement& turned, GhashElement& last) {
  const GhashElement power = lane_power_of(subkey, lane);
#if defined(__CUDA_ARCH__)
  turned = of_lane(power, 31 - lane);
  last = of_lane(power, 31);
#else
  (void)power;
  turned = lane_power_of(subkey, 31 - lane);
  last = lane_power_of(subkey, 31);
#endif
}

/// x * base^exponent. The exponent is no secret.
PHALANX_INLINE GhashElement times_power(GhashElement x, GhashElement base, std::uint64_t exponent) {
  for (; exponent != 0; exponent >>= 1) {
    if (exponent % 2 != 0) x = ghash_multiply(x, base);
    base = ghash_multiply(base, base);
  }
  return x;
}

/// hash_gcm_share where every message has a key of its own.
PHALANX_INLINE void hash_keyed_gcm_share(const DeviceBatchJob& job, std::uint64_t share, std::uint64_t num_shares,
                                         unsigned lane) {
  for_each_gcm_hash_piece(job, share, num_shares, [&](const GcmHashPiece& piece) {
    GhashElement lane_power;
    GcmSubkeyTimes times;
    turn_lane_powers(ghash_element(job.subkeys[piece.index]), lane, lane_power, times.power);
    const GhashElement y = hash_gcm_steps(times, GcmHashedText(job, piece.message), piece.first, piece.stop, lane);
    const GhashElement part = sum_of_warp(ghash_multiply(y, lane_power));
    add_to_gcm_hash(piece.hash, times_power(part, times.power, piece.steps_behind), lane);
  });
}

/// The tag of a whole message (section 7.1, steps 5 and 6), and its hash is overwritten. `crypted` is J_0, encrypted.
PHALANX_INLINE GpuBlock128 take_gcm_tag(GhashElement subkey, const DeviceBatchMessage& message, std::uint32_t hash[4],
                                        GpuBlock128 crypted) {
  const std::uint64_t associated_bits = message.associated_bytes * 8;
  const std::uint64_t text_bits = message.num_bytes * 8;
  const GhashElement lengths{{static_cast<std::uint32_t>(associated_bits >> 32), static_cast<std::uint32_t>(associated_bits),
                              static_cast<std::uint32_t>(text_bits >> 32), static_cast<std::uint32_t>(text_bits)}};
  const GhashElement y = ghash_multiply(ghash_element(hash) ^ lengths, subkey);
  const GhashElement bytes = ghash_element(y.word);
  for (unsigned i = 0; i < 4; ++i) hash[i] = 0;
  return GpuBlock128{{bytes.word[0], bytes.word[1], bytes.word[2], bytes.word[3]}} ^ crypted;
}

/// Returns whether num_bytes of a tag are those of the one that was given, in a time that depends on neither tag.
PHALANX_INLINE bool is_gcm_tag(GpuBlock128 tag, const std::uint32_t given[4], unsigned num_bytes) {
  std::uint32_t difference = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned counted = num_bytes >= 4 * i + 4 ? 4 : num_bytes > 4 * i ? num_bytes - 4 * i : 0;
    const std::uint32_t mask = counted == 4 ? 0xffffffff : (std::uint32_t{1} << 8 * counted) - 1;
    difference |= (tag.word[i] ^ given[i]) & mask;
  }
  return difference == 0;
}

/// The thread of a message calls this when its hash is complete. It writes the tag of a message to seal. It writes the
/// verdict of any message, and returns it. `encrypt` is the block cipher in place.
template <class Encrypt>
PHALANX_INLINE std::uint8_t finish_gcm_message(const DeviceBatchJob& job, std::uint64_t index, Encrypt encrypt) {
  const GhashElement subkey =
      job.arrays.keys == nullptr ? static_cast<const GcmHashKey*>(job.hash_key)->lane[0] : ghash_element(job.subkeys[index]);
  const DeviceBatchMessage& message = job.messages[index];
  GpuBlock128 first_counter = counter_block<4>(message.nonce_high, message.nonce_low << 32 | 1);
  encrypt(first_counter);
  const GpuBlock128 tag = take_gcm_tag(subkey, message, job.hashes[index], first_counter);
  const unsigned tag_bytes = job.arrays.tag_bytes;
  std::uint8_t verdict = verdict_authentic;
  if (job.is_open) {
    verdict = is_gcm_tag(tag, job.tags[index], tag_bytes) ? verdict_authentic : verdict_forged;
  } else {
    store_anywhere(const_cast<std::uint8_t*>(gcm_tag_place(job.arrays, index, message)), tag);  // to seal, of 16 bytes
  }
  job.verdicts[index] = verdict;
  return verdict;
}

}  // namespace
}  // namespace phalanx

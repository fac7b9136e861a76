// The checks of a batch of messages in a GPU's memory, and where each message's work begins.
#pragma once

#include "engine/lanes/gpu_block.hpp"
#include "engine/modes/device_batches/batch_arrays.hpp"

namespace phalanx {
namespace {

/// So many lanes compute the hash of a message side by side.
inline constexpr std::uint64_t gcm_hash_lanes = 32;
/// A message costs so much besides the steps of its hash, in such steps: a product of any two elements.
inline constexpr std::uint64_t gcm_product_units = 3;

PHALANX_INLINE std::uint64_t gcm_blocks_of(std::uint64_t num_bytes) {
  return num_bytes / 16 + (num_bytes % 16 != 0 ? 1 : 0);
}

/// A number of an array, which is aligned to itself.
PHALANX_INLINE std::uint64_t gcm_offset(const void* offsets, std::uint64_t index, unsigned offset_bytes) {
  if (offset_bytes == 4) return static_cast<const std::uint32_t*>(offsets)[index];
  return static_cast<const std::uint64_t*>(offsets)[index];
}

PHALANX_INLINE bool fits_gcm_arena(std::uint64_t offset, std::uint64_t num_bytes, std::uint64_t arena_bytes) {
  return offset <= arena_bytes && num_bytes <= arena_bytes - offset;
}

PHALANX_INLINE std::uint64_t load_big_endian(const std::uint8_t* bytes, unsigned num_bytes) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < num_bytes; ++i) number = number << 8 | bytes[i];
  return number;
}

/// Returns how many bytes behind each message's out are its own, too.
PHALANX_INLINE std::uint64_t tag_behind_out(const DeviceBatchArrays& arrays) {
  return arrays.tag_place == TagPlace::behind_out ? arrays.tag_bytes : 0;
}

PHALANX_INLINE bool is_length_of(const DeviceBatchArrays& arrays, std::uint64_t num_bytes) {
  return num_bytes >= arrays.least_bytes && num_bytes <= arrays.most_bytes && num_bytes % arrays.length_unit == 0;
}

/// Copies the nonce or iv of message `index`.
PHALANX_INLINE void read_nonce(const DeviceBatchArrays& arrays, std::uint64_t index, DeviceBatchMessage& message) {
  message.nonce_high = message.nonce_low = 0;
  if (arrays.nonce_bytes == 0) return;
  const std::uint8_t* const nonce = arrays.nonces + arrays.nonce_bytes * index;
  if (arrays.nonce_bytes == 8) {
    message.nonce_low = load_big_endian(nonce, 8);
  } else if (arrays.nonce_bytes == 16) {
    message.nonce_high = load_big_endian(nonce, 8);
    message.nonce_low = load_big_endian(nonce + 8, 8);
  } else {
    message.nonce_high = load_big_endian(nonce + (arrays.nonce_bytes - 12), 8);
    message.nonce_low = load_big_endian(nonce + (arrays.nonce_bytes - 4), 4);
  }
}

/// Copies what the arrays say of message `index`, each number read once. False if it does not fit its arenas by itself:
/// then it is an empty message.
PHALANX_INLINE bool read_gcm_message(const DeviceBatchArrays& arrays, std::uint64_t index, DeviceBatchMessage& message) {
  const unsigned offset_bytes = arrays.offset_bytes;
  message.in = gcm_offset(arrays.in_offsets, index, offset_bytes);
  const std::uint64_t stop = arrays.lengths != nullptr ? message.in + gcm_offset(arrays.lengths, index, offset_bytes)
                                                       : gcm_offset(arrays.in_offsets, index + 1, offset_bytes);
  message.num_bytes = stop - message.in;
  message.out = arrays.out_offsets != nullptr ? gcm_offset(arrays.out_offsets, index, offset_bytes) : message.in;
  message.associated = message.associated_bytes = 0;
  bool fits = stop >= message.in && is_length_of(arrays, message.num_bytes);
  if (arrays.associated_offsets != nullptr) {
    message.associated = gcm_offset(arrays.associated_offsets, index, offset_bytes);
    const std::uint64_t associated_stop = gcm_offset(arrays.associated_offsets, index + 1, offset_bytes);
    message.associated_bytes = associated_stop - message.associated;
    fits = fits && associated_stop >= message.associated && message.associated_bytes <= most_gcm_associated_bytes &&
           fits_gcm_arena(message.associated, message.associated_bytes, arrays.associated_bytes);
  }
  const std::uint64_t tag_behind_in = arrays.tag_place == TagPlace::behind_in ? arrays.tag_bytes : 0;
  fits = fits && fits_gcm_arena(message.in, message.num_bytes + tag_behind_in, arrays.in_bytes) &&
         fits_gcm_arena(message.out, message.num_bytes + tag_behind_out(arrays), arrays.out_bytes) &&
         (arrays.in != arrays.out || message.in == message.out);
  read_nonce(arrays, index, message);
  if (!fits) message.in = message.out = message.num_bytes = message.associated = message.associated_bytes = 0;
  return fits;
}

/// Outs ascend: none of a batch reaches into the next.
PHALANX_INLINE bool ends_before(const DeviceBatchArrays& arrays, const DeviceBatchMessage& message,
                                const DeviceBatchMessage& next) {
  return message.out + message.num_bytes + tag_behind_out(arrays) <= next.out;
}

/// `steals`: blocks that are not whole are part of the one before.
PHALANX_INLINE std::uint64_t gcm_crypt_units(const DeviceBatchMessage& message, unsigned step_blocks, bool steals = false) {
  return ((steals ? message.num_bytes / 16 : gcm_blocks_of(message.num_bytes)) + step_blocks - 1) / step_blocks;
}
PHALANX_INLINE std::uint64_t gcm_hashed_blocks(const DeviceBatchMessage& message) {
  return gcm_blocks_of(message.associated_bytes) + gcm_blocks_of(message.num_bytes);
}
PHALANX_INLINE std::uint64_t gcm_hash_units(const DeviceBatchMessage& message) {
  const std::uint64_t blocks = gcm_hashed_blocks(message);
  return blocks == 0 ? 0 : (blocks + gcm_hash_lanes - 1) / gcm_hash_lanes + gcm_product_units;
}

/// Where the tag of a message is that fits its arenas.
PHALANX_INLINE const std::uint8_t* gcm_tag_place(const DeviceBatchArrays& arrays, std::uint64_t index,
                                                 const DeviceBatchMessage& message) {
  if (arrays.tag_place == TagPlace::behind_in) return arrays.in + message.in + message.num_bytes;
  if (arrays.tag_place == TagPlace::behind_out) return arrays.out + message.out + message.num_bytes;
  return arrays.tags + index * arrays.tag_bytes;
}

/// The tag that was given, padded with zeros.
PHALANX_INLINE void read_gcm_tag(const DeviceBatchArrays& arrays, std::uint64_t index, const DeviceBatchMessage& message,
                                 std::uint32_t tag[4]) {
  const std::uint8_t* const place = gcm_tag_place(arrays, index, message);
  for (unsigned i = 0; i < 4; ++i) tag[i] = 0;
  PHALANX_UNROLL
  for (unsigned i = 0; i < 16; ++i) {
    if (i < arrays.tag_bytes) tag[i / 4] |= static_cast<std::uint32_t>(place[i]) << i % 4 * 8;
  }
}

/// The units of all messages, and which message a unit is of.
struct GcmUnits {
  const DeviceBatchStarts& starts;
  std::uint64_t num_messages;

  PHALANX_INLINE std::uint64_t start(std::uint64_t message) const {
    constexpr unsigned group = DeviceBatchJob::group;
    if (message == num_messages) return starts.of_group[(num_messages + group - 1) / group];
    return starts.of_group[message / group] + starts.in_group[message];
  }
  PHALANX_INLINE std::uint64_t count() const { return start(num_messages); }

  /// The last message that starts at or before `unit`, which is below count(): an empty one has none.
  PHALANX_INLINE std::uint64_t find(std::uint64_t unit) const {
    std::uint64_t at = 0;
    for (std::uint64_t beyond = num_messages; beyond - at > 1;) {
      const std::uint64_t middle = at + (beyond - at) / 2;
      (start(middle) <= unit ? at : beyond) = middle;
    }
    return at;
  }
  /// Finds the message of `unit` where `message` has the unit before it.
  PHALANX_INLINE std::uint64_t find_after(std::uint64_t message, std::uint64_t unit) const {
    return start(message + 2) > unit ? message + 1 : find(unit);
  }
};

/// body(message, first, stop) for the units of each message in share `share` of `num_shares` equal ones; units count from
/// the message's first.
template <class Body>
PHALANX_INLINE void for_each_gcm_piece(const GcmUnits& units, std::uint64_t share, std::uint64_t num_shares, Body body) {
  const std::uint64_t count = units.count();
  const std::uint64_t least = count / num_shares;
  const std::uint64_t more = count % num_shares;  // shares with one unit more, which are the first
  std::uint64_t unit = share * least + (share < more ? share : more);
  const std::uint64_t stop = unit + least + (share < more ? 1 : 0);
  if (unit == stop) return;
  for (std::uint64_t message = units.find(unit);;) {
    const std::uint64_t start = units.start(message);
    const std::uint64_t end = units.start(message + 1);
    const std::uint64_t last = end < stop ? end : stop;
    body(message, unit - start, last - start);
    unit = last;
    if (unit == stop) return;
    message = units.find_after(message, unit);
  }
}

}  // namespace
}  // namespace phalanx

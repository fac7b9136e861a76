// A batch of GCM messages in a GPU's memory, or of a bare cipher's, as its caller has it and as kernels keep it. Plain data:
// the host's tests use it too. docs/notes/aead_on_gpus.md has the design.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// SP 800-38D section 5.2.1.1: 2^32 - 2 blocks. Associated data may be longer there; here they may not.
inline constexpr std::uint64_t most_gcm_bytes = (std::uint64_t{1} << 36) - 32;
inline constexpr std::uint64_t most_gcm_associated_bytes = std::uint64_t{1} << 36;

/// Where the tags of a batch are.
enum class TagPlace : std::uint8_t {
  apart,       ///< in an array of their own
  behind_in,   ///< to open: each behind its ciphertext
  behind_out,  ///< to seal: the same
};

/// These arrays lie in one GPU's memory. Nobody has looked at their content.
struct DeviceBatchArrays {
  const std::uint8_t* in;
  std::uint64_t in_bytes;
  std::uint8_t* out;  ///< in: in place; else disjoint from it
  std::uint64_t out_bytes;
  const std::uint8_t* associated;
  std::uint64_t associated_bytes;
  const void* in_offsets;          ///< a number for each message, and one more if lengths is null
  const void* out_offsets;         ///< nullptr: in_offsets
  const void* lengths;             ///< nullptr: a message ends where the next one begins
  const void* associated_offsets;  ///< one more than there are messages; nullptr: no message has associated data
  const std::uint8_t* nonces;      ///< nonce_bytes each
  const std::uint8_t* keys;        ///< key_bytes each; nullptr: all under the key in place
  std::uint8_t* tags;              ///< tag_bytes each, where they are apart
  std::uint64_t num_messages;
  unsigned offset_bytes;  ///< of every number of the arrays above: 4 or 8
  unsigned tag_bytes;
  unsigned key_bytes;    ///< as the kernel takes them
  unsigned nonce_bytes;  ///< 12; or 24, of XAES-256-GCM, of which the last 12 are GCM's; of a bare cipher: 16, 8 or 0, an iv
  TagPlace tag_place;
  /// With tag_bytes 0, to open: counters begin with 1, as bare CTR may have them. Every message that fits is "authentic".
  bool is_bare = false;
  /// If true, no message is opened where one is not authentic. If false, the others are opened.
  bool opens_all_or_none = false;

  // These limit the lengths of messages: from, to, and a divisor.
  std::uint64_t least_bytes = 0;
  std::uint64_t most_bytes = most_gcm_bytes;
  unsigned length_unit = 1;
  /// In XTS, the bytes that are left behind the whole blocks go with the last whole block.
  bool steals = false;
};

/// A message that was checked: a copy of what the arrays say of it.
struct alignas(16) DeviceBatchMessage {
  std::uint64_t in, out, num_bytes;            ///< offsets into the arenas
  std::uint64_t associated, associated_bytes;  ///< the same for its associated data
  std::uint64_t nonce_high;                    ///< the nonce as a big-endian number: of 12 bytes the first eight; of 16 too
  std::uint64_t nonce_low;                     ///< the rest; all of an iv of eight bytes
};

/// Where each message begins among all units of work, which warps take in equal shares: message i at of_group[i / group] +
/// in_group[i].
struct DeviceBatchStarts {
  std::uint64_t* in_group;
  std::uint64_t* of_group;  ///< one more than there are groups: the last is the number of units
};

/// Each message gets one of these verdicts. DeviceVerdict has the same values.
inline constexpr std::uint8_t verdict_forged = 0, verdict_authentic = 1, verdict_misplaced = 2;

/// A call: what its kernels share.
struct DeviceBatchJob {
  static constexpr unsigned group = 1024;  ///< messages whose starts are summed up together

  DeviceBatchArrays arrays;
  bool is_open;
  unsigned step_blocks;      ///< text blocks that a warp crypts at once
  std::uint64_t most_units;  ///< no kernel has more to share out: what the host can know
  const void* hash_key;      ///< gpu_gcm.hpp; of messages with keys of their own: unused

  // These arrays are scratch memory, with an entry a message. A bare cipher has no hashes, tags and hash_starts: they
  // are null.
  DeviceBatchMessage* messages;
  DeviceBatchStarts crypt_starts, hash_starts;
  std::uint32_t (*hashes)[4];  ///< GHASH over associated data and text, as blocks lie in memory; zeros before and after
  std::uint32_t (*tags)[4];    ///< to open: what was given, padded with zeros
  std::uint8_t* verdicts;
  std::uint32_t (*subkeys)[4];  ///< of messages with keys of their own: their hash subkeys; whoever owns them wipes them
  std::uint8_t* key_vectors;    ///< ... and their expanded keys, of num_key_vectors times 16 bytes; the same
  std::size_t num_key_vectors;
  std::uint32_t* num_misplaced;  ///< one word: messages that do not fit their arenas. Any, and nothing else is written
  std::uint32_t* all_authentic;  ///< one word, 1 or 0

  [[nodiscard]] constexpr std::uint64_t num_groups() const {  // constexpr: nvcc then lets kernels call it
    return (arrays.num_messages + group - 1) / group;
  }
};

}  // namespace phalanx

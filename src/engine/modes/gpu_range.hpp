// A GPU's kernels work on these. They are plain data, which the host's tests use, too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/bytes/inline.hpp"

namespace phalanx {

/// Shares into which a range is cut at most: one for each warp of the launch.
inline constexpr std::size_t max_gpu_shares = std::size_t{1} << 15;

/// Whole blocks in device memory, aligned to a block. `in` is `out` or disjoint from it.
struct GpuRange {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;
  std::uint8_t iv[16];             ///< the chaining state before the first block, as for KeyedCipher::crypt_range
  std::uint8_t* share_states;      ///< scratch: max_gpu_shares * 16 bytes, unused by any other work until this one is done
  bool follows;                    ///< CBC, CFB: the chaining state is not iv but the ciphertext block in memory before `in`
  const void* schedule = nullptr;  ///< where the key in place is, if that is known: asking takes time
  bool key_stays = false;          ///< whether a kernel under this key is on the stream, and the key in place since then
};

/// This is one message of a batch, in device memory.
struct GpuMessage {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_blocks;
};

/// These are many messages, or pieces of messages. All arrays are in device memory.
struct GpuBatch {
  const GpuMessage* messages;
  std::uint8_t* ivs;         ///< 16 bytes for each message: its chaining state before and after
  const std::uint8_t* keys;  ///< key_bytes for each message; nullptr: all under the key in place (GpuKernel::key_address)
  std::size_t key_bytes;     ///< of the key in place too
  std::uint64_t num_messages;
  void* scratch;  ///< batch_scratch_bytes, of any content; holds keys or data: whoever owns it wipes it

  /// Each message has so many bytes behind its blocks. They are those of a short block in CTR, CFB and OFB, and in XTS,
  /// too, where there is a whole one before. Then messages may lie at any address. If it is nullptr, no message has
  /// any, and all are aligned to a block, which is faster.
  const std::uint8_t* rests = nullptr;
  std::size_t key_stride = 0;             ///< from key to key; 0: key_bytes
  const std::uint64_t* owners = nullptr;  ///< which key each message has; nullptr: its own
  std::uint64_t num_owners = 0;           ///< how many keys there are, where there are owners

  [[nodiscard]] PHALANX_INLINE std::uint64_t num_keys() const { return owners == nullptr ? num_messages : num_owners; }
  [[nodiscard]] PHALANX_INLINE std::uint64_t key_of(std::uint64_t message) const {
    return owners == nullptr ? message : owners[message];
  }
  [[nodiscard]] PHALANX_INLINE const std::uint8_t* key(std::uint64_t index) const {
    return keys + index * (key_stride == 0 ? key_bytes : key_stride);
  }
};

}  // namespace phalanx

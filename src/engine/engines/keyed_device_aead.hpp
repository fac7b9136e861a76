// An AEAD under one key over a GPU's memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <phalanx/bytes.hpp>
#include <span>

#include "engine/ciphers/direction.hpp"
#include "engine/modes/device_batches/batch_arrays.hpp"

namespace phalanx {

/// What a call leaves in the GPU's memory. Destroyed, it waits for the call's work, unless it was left.
class DeviceBatchResult {
 public:
  DeviceBatchResult() = default;
  DeviceBatchResult(const DeviceBatchResult&) = delete;
  DeviceBatchResult& operator=(const DeviceBatchResult&) = delete;
  virtual ~DeviceBatchResult() = default;

  [[nodiscard]] virtual std::size_t num_messages() const = 0;
  [[nodiscard]] virtual const std::uint32_t* all_authentic() const = 0;  ///< in the GPU's memory
  [[nodiscard]] virtual const std::uint8_t* each() const = 0;            ///< the same: verdict_forged and its kin
  /// Enqueues a kernel that traps unless all are authentic.
  virtual void require(void* stream) const = 0;
  /// Waits and copies. Throws Error (runtime) if the GPU failed.
  virtual void read(std::span<std::uint8_t> verdicts) const = 0;
  [[nodiscard]] virtual bool are_all_authentic() const = 0;
  /// Nobody will ask: the memory goes back behind the call's work on its stream.
  virtual void leave() = 0;
};

/// One message: what is in the host's memory is read before the call returns.
struct DeviceAeadText {
  Bytes nonce;            ///< 12 bytes, or 24 of XAES-256-GCM, in the host's memory
  Bytes associated_data;  ///< in the host's memory
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t num_bytes;
  std::uint8_t* tag;
  unsigned tag_bytes;
};

/// The cutting of a long message: chunks of equal size, the last one shorter, perhaps empty. Sealed, each has its tag of
/// 16 bytes behind it, and the next one follows.
struct ChunkCutting {
  static constexpr std::size_t tag_bytes = 16;

  std::size_t chunk_bytes;    ///< of plaintext; a multiple of 16
  std::uint64_t plain_bytes;  ///< of all chunks
  std::uint64_t num_chunks;
  /// The nonce of chunk i here is this XOR first_chunk + i, a big-endian number of as many bytes.
  std::array<std::uint8_t, 12> base_nonce;
  std::uint64_t first_chunk;
};

/// Chunks in the host's memory, or wherever `read` gets them from.
struct SealedChunks {
  ChunkCutting cutting;
  const std::uint8_t* memory;  ///< all of them; nullptr: `read` gives them
  std::function<void(std::uint64_t offset, MutableBytes sealed)> read;
  std::uint64_t skipped_bytes;  ///< plaintext before what is wanted
  std::uint64_t wanted_bytes;
  int num_threads;  ///< in the host's memory; 0: all
};

/// Chunks in a GPU's memory, and who takes them in order when they are sealed.
struct ChunksToSeal {
  ChunkCutting cutting;
  std::function<void(Bytes sealed)> append;
  int num_threads;
};

/// All chunks of a message in a GPU's memory, sealed and plain, in memory that is disjoint.
struct DeviceChunks {
  ChunkCutting cutting;
  const std::uint8_t* in;
  std::uint8_t* out;
  Bytes prefix;  ///< to seal: what is written to `out` before the chunks, from the host's memory
};

/// An AEAD of the engine, and where nonces have 24 bytes XAES-256-GCM, whose cipher is AES-256 and whose messages bring no
/// keys. Immutable: any number of threads may use it at once. Enqueues on `stream`, a cudaStream_t, without waiting. Throws
/// Error: usage, where memory is not one GPU's of the engine; runtime, if the GPU fails.
class KeyedDeviceAead {
 public:
  KeyedDeviceAead() = default;
  KeyedDeviceAead(const KeyedDeviceAead&) = delete;
  KeyedDeviceAead& operator=(const KeyedDeviceAead&) = delete;
  virtual ~KeyedDeviceAead() = default;

  [[nodiscard]] virtual std::unique_ptr<DeviceBatchResult> crypt_batch(Direction direction, const DeviceBatchArrays& arrays,
                                                                       void* stream) const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceBatchResult> crypt(Direction direction, const DeviceAeadText& text,
                                                                 void* stream) const = 0;

  /// A verdict a chunk. To open: `out` gets zeros where any of them is not authentic.
  [[nodiscard]] virtual std::unique_ptr<DeviceBatchResult> crypt_chunks(Direction direction, const DeviceChunks& chunks,
                                                                        void* stream) const = 0;

  /// Opens chunks into a GPU's memory, `wanted_bytes` of it, behind what is on `stream`, and waits. Only ciphertext
  /// crosses the link; `out` gets bytes of authentic chunks alone. Returns the number of the first chunk that is not
  /// authentic, or num_chunks. There, and where it throws (what `read` throws, too), `out` holds zeros.
  [[nodiscard]] virtual std::uint64_t open_chunks(const SealedChunks& chunks, std::uint8_t* out, void* stream) const = 0;
  /// Seals chunks of a GPU's memory, behind what is on `stream`, and waits. Throws what `append` throws.
  virtual void seal_chunks(const ChunksToSeal& chunks, const std::uint8_t* in, void* stream) const = 0;
};

}  // namespace phalanx

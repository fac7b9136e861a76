// What engines of GPUs do over data in a GPU's memory. Engines of the CPU have nothing of it.
//
// All is enqueued on `stream`, a cudaStream_t, without waiting, unless it says otherwise. Throws Error: usage, where memory
// is not one GPU's of the engine; runtime, if the GPU fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>

#include "engine/ciphers/direction.hpp"
#include "engine/engines/device_uploads.hpp"
#include "engine/engines/engine.hpp"
#include "engine/engines/keyed_device_aead.hpp"
#include "engine/modes/mode.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {

/// Consecutive sectors of XTS in a GPU's memory, the last of which may be shorter, but has at least 16 bytes. The tweak of
/// sector i is numbers[i], or first_tweak + i * tweak_step where there are none.
struct DeviceSectorRange {
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t num_bytes;  ///< not none
  std::uint64_t sector_bytes;
  const std::uint64_t* numbers;
  std::uint64_t first_tweak, tweak_step;
};

/// A KeyedCipher over a GPU's memory, in any mode that is no AEAD. Immutable: any number of threads may use it at once.
class KeyedDeviceCipher {
 public:
  /// KeyedCipher::crypt_range, `in` and `out` aligned to a block, in a mode in which blocks are independent. In CTR and CFB
  /// the last block may be short. `iv` is in the host's memory and stays as it is.
  virtual void crypt_device_range(Mode mode, Direction direction, const std::uint8_t* iv, const std::uint8_t* in,
                                  std::uint8_t* out, std::size_t num_bytes, void* stream) const = 0;

  /// Many messages of any mode, each with its iv: as KeyedDeviceAead::crypt_batch. XTS: tweaks are encrypted under
  /// `tweak_key`, of the same engine and CipherSpec, and the keys of messages are pairs; nullptr in other modes. A batch is
  /// authentic here if none of it is misplaced.
  [[nodiscard]] virtual std::unique_ptr<DeviceBatchResult> crypt_device_batch(Mode mode, Direction direction,
                                                                              const KeyedDeviceCipher* tweak_key,
                                                                              const DeviceBatchArrays& arrays,
                                                                              void* stream) const = 0;
  virtual void crypt_device_sectors(Direction direction, const KeyedDeviceCipher& tweak_key,
                                    const DeviceSectorRange& sectors, void* stream) const = 0;

 protected:
  ~KeyedDeviceCipher() = default;
};

/// The memory of an engine's GPUs.
class DeviceMemory {
 public:
  /// As Engine::set_aead_key.
  [[nodiscard]] virtual std::unique_ptr<KeyedDeviceAead> set_device_aead_key(const NamedCipher& aead, Bytes key) const = 0;

  /// Copies from it, behind what is on `stream`, and waits.
  virtual void read_device(const void* from, MutableBytes to, void* stream) const = 0;

  /// Uploads into it, behind what is on `stream`.
  [[nodiscard]] virtual std::unique_ptr<DeviceUploads> begin_uploads(const DeviceUploadPlace& place, void* stream) const = 0;

 protected:
  ~DeviceMemory() = default;
};

/// Returns the memory of its GPUs. Throws Error (usage) where the engine has none.
[[nodiscard]] const DeviceMemory& device_memory_of(const Engine& engine);
/// Returns what crypts there under the same key. Throws Error (usage) where the engine of the cipher has no such memory.
[[nodiscard]] const KeyedDeviceCipher& device_cipher_of(const KeyedCipher& cipher);

}  // namespace phalanx

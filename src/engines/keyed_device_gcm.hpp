// GCM under one key over a GPU's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/phalanx.hpp>
#include <span>

#include "ciphers/direction.hpp"
#include "modes/device_gcm/gcm_arrays.hpp"

namespace phalanx {

/// What a call leaves in the GPU's memory. Destroyed, it waits for the call's work, unless it was left.
class DeviceGcmVerdicts {
 public:
  DeviceGcmVerdicts() = default;
  DeviceGcmVerdicts(const DeviceGcmVerdicts&) = delete;
  DeviceGcmVerdicts& operator=(const DeviceGcmVerdicts&) = delete;
  virtual ~DeviceGcmVerdicts() = default;

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
struct DeviceGcmText {
  Bytes nonce;            ///< 12 bytes, in the host's memory
  Bytes associated_data;  ///< in the host's memory
  const std::uint8_t* in;
  std::uint8_t* out;
  std::size_t num_bytes;
  std::uint8_t* tag;
  unsigned tag_bytes;
};

/// Immutable: any number of threads may use it at once. Enqueues on `stream`, a cudaStream_t, without waiting. Throws Error:
/// usage, where memory is not one GPU's of the engine; runtime, if the GPU fails.
class KeyedDeviceGcm {
 public:
  KeyedDeviceGcm() = default;
  KeyedDeviceGcm(const KeyedDeviceGcm&) = delete;
  KeyedDeviceGcm& operator=(const KeyedDeviceGcm&) = delete;
  virtual ~KeyedDeviceGcm() = default;

  [[nodiscard]] virtual std::unique_ptr<DeviceGcmVerdicts> crypt_batch(Direction direction, const DeviceGcmArrays& arrays,
                                                                       void* stream) const = 0;
  [[nodiscard]] virtual std::unique_ptr<DeviceGcmVerdicts> crypt(Direction direction, const DeviceGcmText& text,
                                                                 void* stream) const = 0;
};

}  // namespace phalanx

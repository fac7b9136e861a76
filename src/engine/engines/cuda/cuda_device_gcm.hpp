// GCM under one key over the memory of GPUs.
#pragma once

#include <memory>
#include <vector>

#include "engine/engines/cpu/cpu_engine.hpp"
#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/cuda/message_feed.hpp"
#include "engine/engines/keyed_aead.hpp"
#include "engine/engines/keyed_device_aead.hpp"

namespace phalanx {

class CudaDeviceGcm final : public KeyedDeviceAead {
 public:
  CudaDeviceGcm(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, const CpuEngine& cpu);
  ~CudaDeviceGcm() override;

  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_batch(Direction direction, const DeviceBatchArrays& arrays,
                                                               void* stream) const override;
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt(Direction direction, const DeviceAeadText& text,
                                                         void* stream) const override;
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_chunks(Direction direction, const DeviceChunks& chunks,
                                                                void* stream) const override;
  [[nodiscard]] std::uint64_t open_chunks(const SealedChunks& chunks, std::uint8_t* out, void* stream) const override;
  void seal_chunks(const ChunksToSeal& chunks, const std::uint8_t* in, void* stream) const override;

  /// KeyedAead::crypt of what the feed gives, messages in the host's memory that fit (gpu_host_messages.hpp), on all
  /// devices. Waits.
  void crypt_on_host(Direction direction, Unverified unverified, MessageFeed& feed, int num_threads) const;

 private:
  class DeviceKey;
  [[nodiscard]] const DeviceKey& key_of_memory(std::initializer_list<const void*> pointers) const;

  std::vector<std::unique_ptr<DeviceKey>> keys_;  ///< one for each device
};

}  // namespace phalanx

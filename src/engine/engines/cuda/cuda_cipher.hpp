// One cipher under one key, on one GPU or several.
#pragma once

#include <memory>
#include <vector>

#include "engine/engines/cuda/gpu_device.hpp"
#include "engine/engines/device_memory.hpp"
#include "engine/engines/engine.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// What a GPU has no use for, the serial modes of a few messages and jobs of a single block, is left to `cpu`, a KeyedCipher
/// of the CPU under the same key.
class CudaCipher final : public KeyedCipher, public KeyedDeviceCipher {
 public:
  CudaCipher(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, int num_threads,
             std::unique_ptr<KeyedCipher> cpu);

  void crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t num_blocks) const override;
  void crypt_device_range(Mode mode, Direction direction, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t num_bytes, void* stream) const override;
  void crypt_batch(Mode mode, Direction direction, std::span<const BlockMessage> messages) const override;
  [[nodiscard]] std::unique_ptr<DeviceBatchResult> crypt_device_batch(Mode mode, Direction direction,
                                                                      const KeyedDeviceCipher* tweak_key,
                                                                      const DeviceBatchArrays& arrays,
                                                                      void* stream) const override;
  void crypt_device_sectors(Direction direction, const KeyedDeviceCipher& tweak_key, const DeviceSectorRange& sectors,
                            void* stream) const override;
  [[nodiscard]] Bytes key() const override { return cpu_->key(); }
  [[nodiscard]] const KeyedDeviceCipher* device_cipher() const override { return this; }

  /// The key on the engine's device number i.
  [[nodiscard]] const GpuKey& key_number(std::size_t i) const { return *keys_[i]; }

  /// Fewer shares of a range than this for each device, and fewer devices get some.
  static constexpr std::size_t min_shares_per_device = 4;

 private:
  /// The key on the device that all are in the memory of; null pointers are in any.
  [[nodiscard]] const GpuKey& key_of_memory(std::initializer_list<const void*> pointers) const;
  [[nodiscard]] const GpuKey& key_on(const GpuDevice& device) const;

  const CipherSpec& cipher_;
  int num_threads_;
  SecretBytes kernel_key_;                     ///< as the kernel takes it
  std::vector<std::unique_ptr<GpuKey>> keys_;  ///< one for each device
  std::unique_ptr<KeyedCipher> cpu_;
};

}  // namespace phalanx

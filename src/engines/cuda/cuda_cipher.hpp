// One cipher under one key, on one GPU or several.
#pragma once

#include <memory>
#include <vector>

#include "engines/cuda/gpu_device.hpp"
#include "engines/engine.hpp"
#include "engines/secret_bytes.hpp"

namespace phalanx {

/// What a GPU has no use for, the serial modes of a few messages and jobs of a single block, is left to `cpu`, a KeyedCipher of the
/// CPU under the same key.
class CudaCipher final : public KeyedCipher {
 public:
  CudaCipher(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, int num_threads,
             std::unique_ptr<KeyedCipher> cpu);

  void crypt_range(Mode mode, Direction direction, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t num_blocks) const override;
  void crypt_device_range(Mode mode, Direction direction, const std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t num_bytes, void* stream) const override;
  void encrypt_and_hash(const KeyedHash& hash, std::uint8_t* counter, std::uint8_t* y, const std::uint8_t* in,
                        std::uint8_t* out, std::size_t num_blocks) const override;
  void crypt_streams(Mode mode, Direction direction, std::span<const Stream> streams) const override;

 private:
  /// The key on the device that both are in the memory of.
  [[nodiscard]] const GpuKey& key_of_memory(const void* in, const void* out) const;

  const CipherSpec& cipher_;
  int num_threads_;
  SecretBytes kernel_key_;                     ///< as the kernel takes it
  std::vector<std::unique_ptr<GpuKey>> keys_;  ///< one for each device
  std::unique_ptr<KeyedCipher> cpu_;
};

/// GHASH on one GPU; short data on the CPU.
class CudaHash final : public KeyedHash {
 public:
  CudaHash(GpuDevice& device, const std::uint8_t* hash_subkey, int num_threads, std::unique_ptr<KeyedHash> cpu);
  ~CudaHash() override;
  void update(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks) const override;

  [[nodiscard]] GpuDevice& device() const { return device_; }
  /// Runs work(state) with the hash at y, which is afterwards what the work has made of it.
  template <class Work>
  void run_from(std::uint8_t* y, Work work) const;
  [[nodiscard]] const KeyedHash& cpu() const { return *cpu_; }

 private:
  GpuDevice& device_;
  int num_threads_;
  DeviceBuffer key_;
  std::unique_ptr<KeyedHash> cpu_;
};

}  // namespace phalanx

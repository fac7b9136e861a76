// GCM under one key on GPUs.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/engines/composed_gcm.hpp"
#include "engine/engines/cpu/cpu_engine.hpp"
#include "engine/engines/cuda/cuda_cipher.hpp"
#include "engine/engines/cuda/cuda_device_gcm.hpp"
#include "engine/engines/cuda/message_feed.hpp"
#include "engine/engines/cuda/staging/gpu_pipeline.hpp"

namespace phalanx {

/// An expanded hash key in a GPU's memory.
class CudaHashKey {
 public:
  CudaHashKey(GpuDevice& device, const std::uint8_t* hash_subkey);
  CudaHashKey(const CudaHashKey&) = delete;
  CudaHashKey& operator=(const CudaHashKey&) = delete;
  ~CudaHashKey();

  /// Runs work(state) with the hash at y, which is afterwards what the work has made of it. One call at a time.
  template <class Work>
  void run_from(std::uint8_t* y, Work work) const;

 private:
  GpuDevice& device_;
  DeviceBuffer key_;
  mutable std::mutex mutex_;
  DeviceBuffer state_;  ///< guarded by mutex_, and what follows
  PinnedBuffer host_state_;
  std::unique_ptr<CudaStream> stream_;
};

/// All GPUs take parts of a long message. The messages of a batch, and of batches that come at the same time, go through all
/// GPUs together. What a GPU has no use for, short messages and those that bring keys of their own, is the CPU's.
class CudaGcm final : public ComposedGcm {
 public:
  CudaGcm(const CipherSpec& cipher, const std::vector<GpuDevice*>& devices, Bytes key, int num_threads,
          const CpuEngine& cpu);

  [[nodiscard]] Bytes key() const override { return cipher_.key(); }
  void crypt(Direction direction, std::span<AeadMessage> messages, Unverified unverified) const override;
  [[nodiscard]] std::unique_ptr<PageLock> lock_pages(MutableBytes memory) const override;
  void join_hashes(std::uint8_t* y, const std::uint8_t* part_y, std::uint64_t num_blocks) const override {
    hash_.join(y, part_y, num_blocks);
  }

 private:
  void encrypt_blocks(std::uint8_t* blocks, std::size_t num_blocks) const override;
  void crypt_counter_mode(std::uint8_t* counter, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t num_blocks) const override;
  void hash_blocks(std::uint8_t* y, const std::uint8_t* in, std::size_t num_blocks, const std::uint8_t* last,
                   std::size_t num_last) const override;
  void crypt_and_hash(const GcmRange& range) const override;
  /// The work on all devices, which hash it too, from y on; `crypts`: under the key.
  void run_on_gpus(const GpuWork& work, bool crypts, std::uint8_t* y) const;

  int num_threads_;
  std::unique_ptr<KeyedCipher> cpu_cipher_;
  std::unique_ptr<KeyedAead> cpu_gcm_;
  CudaCipher cipher_;
  CudaDeviceGcm device_gcm_;
  CpuHash hash_;
  std::vector<std::unique_ptr<CudaHashKey>> gpu_hashes_;  ///< one for each device
  mutable MessageFeed seals_;
  mutable MessageFeed opens_[2];  ///< by Unverified
};

}  // namespace phalanx

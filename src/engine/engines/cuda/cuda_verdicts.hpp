// What a batch in a GPU's memory leaves there.
#pragma once

#include "engine/engines/cuda/gpu_gcm.hpp"
#include "engine/engines/cuda/stream_memory.hpp"
#include "engine/engines/keyed_device_aead.hpp"

namespace phalanx {

/// The scratch memory of a call, where its verdicts are.
class CudaVerdicts final : public DeviceBatchResult {
 public:
  /// Sets the job's pointers into that memory.
  CudaVerdicts(GpuDevice& device, DeviceBatchJob& job, bool has_hashes, cudaStream_t stream);
  ~CudaVerdicts() override;

  /// All its work is on the stream: from now on it may be asked for from elsewhere.
  void end(cudaStream_t stream);
  void leave() override { is_waited_for_ = false; }

  [[nodiscard]] std::size_t num_messages() const override { return num_messages_; }
  [[nodiscard]] const std::uint32_t* all_authentic() const override { return all_authentic_; }
  [[nodiscard]] const std::uint8_t* each() const override { return each_; }
  void require(void* stream) const override;
  void read(std::span<std::uint8_t> verdicts) const override { copy(verdicts.data(), each_, verdicts.size()); }
  [[nodiscard]] bool are_all_authentic() const override;

 private:
  void copy(void* to, const void* from, std::size_t num_bytes) const;

  GpuDevice& device_;
  StreamMemory memory_;
  CudaEvent done_;
  bool is_waited_for_ = false;
  std::size_t num_messages_;
  const std::uint32_t* all_authentic_;
  const std::uint8_t* each_;
};

}  // namespace phalanx

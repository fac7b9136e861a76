#include "engine/engines/cuda/cuda_verdicts.hpp"

#include <phalanx/error.hpp>

namespace phalanx {

CudaVerdicts::CudaVerdicts(GpuDevice& device, DeviceBatchJob& job, bool has_hashes, cudaStream_t stream)
    : device_(device), memory_(device, gpu_gcm_scratch_bytes(job.arrays.num_messages, has_hashes), stream) {
  place_gpu_gcm(job, has_hashes, memory_.data());
  num_messages_ = job.arrays.num_messages;
  all_authentic_ = job.all_authentic;
  each_ = job.verdicts;
}

CudaVerdicts::~CudaVerdicts() {
  if (!is_waited_for_) return;
  done_.synchronize();
  try {
    memory_.return_on(device_.returning_stream());
  } catch (const Error&) {  // the device is gone, and the memory with it
  }
}

void CudaVerdicts::end(cudaStream_t stream) {
  done_.record(stream);
  is_waited_for_ = true;
}

void CudaVerdicts::require(void* stream) const {
  const CurrentDevice current(device_.id());
  check_cuda(require_gpu_gcm(all_authentic_, static_cast<cudaStream_t>(stream)), "starting a kernel");
}

bool CudaVerdicts::are_all_authentic() const {
  std::uint32_t word = 0;
  copy(&word, all_authentic_, sizeof word);
  return word == 1;
}

void CudaVerdicts::copy(void* to, const void* from, std::size_t num_bytes) const {
  const CurrentDevice current(device_.id());
  const cudaStream_t stream = device_.returning_stream();
  done_.delay(stream);
  check_cuda(cudaMemcpyAsync(to, from, num_bytes, cudaMemcpyDeviceToHost, stream), "copying from the GPU");
  check_cuda(cudaStreamSynchronize(stream), "work on the GPU");
}

}  // namespace phalanx

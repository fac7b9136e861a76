#include "engine/engines/cuda_engine.hpp"

#include <phalanx/error.hpp>
#include <string>

#include "engine/engines/cuda/cuda_cipher.hpp"
#include "engine/engines/cuda/cuda_device_gcm.hpp"
#include "engine/engines/cuda/cuda_gcm.hpp"
#include "engine/engines/cuda/staging/gpu_uploads.hpp"
#include "engine/engines/device_memory.hpp"

namespace phalanx {
namespace {

class CudaEngine final : public Engine, public DeviceMemory {
 public:
  CudaEngine(EngineInfo info, std::vector<GpuDevice*> devices, const CpuEngine& cpu)
      : info_(std::move(info)), devices_(std::move(devices)), cpu_(cpu) {}

  [[nodiscard]] EngineInfo info() const override { return info_; }
  [[nodiscard]] const DeviceMemory* device_memory() const override { return this; }
  [[nodiscard]] std::unique_ptr<KeyedCipher> set_key(const CipherSpec& cipher, Bytes key, int num_threads) const override {
    return std::make_unique<CudaCipher>(cipher, devices_, key, num_threads, cpu_.set_key(cipher, key, num_threads));
  }
  [[nodiscard]] std::unique_ptr<KeyedAead> set_aead_key(const NamedCipher& aead, Bytes key, int num_threads) const override {
    return std::make_unique<CudaGcm>(*aead.cipher, devices_, key, num_threads, cpu_);
  }
  [[nodiscard]] std::unique_ptr<KeyedDeviceAead> set_device_aead_key(const NamedCipher& aead, Bytes key) const override {
    return std::make_unique<CudaDeviceGcm>(*aead.cipher, devices_, key, cpu_);
  }
  void read_device(const void* from, MutableBytes to, void* stream) const override {
    const CurrentDevice current(device_of(from).id());
    const auto on = static_cast<cudaStream_t>(stream);
    check_cuda(cudaMemcpyAsync(to.data(), from, to.size(), cudaMemcpyDeviceToHost, on), "copying from the GPU");
    check_cuda(cudaStreamSynchronize(on), "work on the GPU");
  }
  [[nodiscard]] std::unique_ptr<DeviceUploads> begin_uploads(const DeviceUploadPlace& place, void* stream) const override {
    return begin_gpu_uploads(device_of(place.out), place, static_cast<cudaStream_t>(stream));
  }

 private:
  [[nodiscard]] GpuDevice& device_of(const void* memory) const {
    const int id = device_of_memory({memory});
    for (GpuDevice* device : devices_) {
      if (device->id() == id) return *device;
    }
    throw Error(ErrorCode::usage, "the memory is not a GPU's of this engine");
  }

  EngineInfo info_;
  std::vector<GpuDevice*> devices_;
  const CpuEngine& cpu_;
};

std::vector<EngineEntry> unusable(const std::string& reason) {
  std::vector<EngineEntry> entries;
  entries.push_back({{"cuda", "NVIDIA GPUs", false, reason}, nullptr});
  return entries;
}

void add(std::vector<EngineEntry>& entries, const std::string& name, const std::string& description,
         const std::vector<GpuDevice*>& devices, const CpuEngine& cpu) {
  const EngineInfo info{name, description, true, ""};
  entries.push_back({info, std::make_unique<CudaEngine>(info, devices, cpu)});
}

// The kernels need compute capability 7.5 (Turing).
bool is_new_enough(const cudaDeviceProp& properties) {
  return properties.major > 7 || (properties.major == 7 && properties.minor >= 5);
}

}  // namespace

std::vector<EngineEntry> find_cuda_engines(const CpuEngine& cpu) {
  int num_devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&num_devices);
  if (error == cudaErrorInsufficientDriver) return unusable("no NVIDIA driver here, or one too old for CUDA 13");
  if (error == cudaErrorNoDevice || (error == cudaSuccess && num_devices == 0)) return unusable("no NVIDIA GPU here");
  if (error != cudaSuccess) return unusable(std::string("CUDA: ") + cudaGetErrorString(error));
  std::vector<GpuDevice*> devices;
  for (int id = 0; id < num_devices; ++id) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, id) != cudaSuccess || !is_new_enough(properties)) continue;
    devices.push_back(new GpuDevice(id, properties.name));  // as the engines: never destroyed
  }
  if (devices.empty()) return unusable("no NVIDIA GPU of compute capability 7.5 or newer here");
  std::vector<EngineEntry> entries;
  std::vector<GpuDevice*> all = devices;
  if (takes_each_gpu_twice) {
    for (GpuDevice* device : devices) all.push_back(device->make_second());
  }
  const std::string count = all.size() == 1 ? "" : std::to_string(all.size()) + " GPUs, the first: ";
  add(entries, "cuda", "all GPUs: " + count + all[0]->name(), all, cpu);
  for (GpuDevice* device : devices) add(entries, "cuda:" + std::to_string(device->id()), device->name(), {device}, cpu);
  return entries;
}

}  // namespace phalanx

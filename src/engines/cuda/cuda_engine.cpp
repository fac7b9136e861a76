#include "engines/cuda_engine.hpp"

#include <string>

#include "engines/cuda/cuda_cipher.hpp"
#include "engines/registry.hpp"

namespace phalanx {
namespace {

class CudaEngine final : public Engine {
 public:
  CudaEngine(EngineInfo info, std::vector<GpuDevice*> devices) : info_(std::move(info)), devices_(std::move(devices)) {}

  [[nodiscard]] EngineInfo info() const override { return info_; }
  [[nodiscard]] std::unique_ptr<KeyedCipher> set_key(const CipherSpec& cipher, Bytes key, int num_threads) const override {
    return std::make_unique<CudaCipher>(cipher, devices_, key, num_threads,
                                        find_engine("cpu").set_key(cipher, key, num_threads));
  }
  [[nodiscard]] std::unique_ptr<KeyedHash> set_hash_key(const std::uint8_t* hash_subkey, int num_threads) const override {
    return std::make_unique<CudaHash>(*devices_[0], hash_subkey, num_threads,
                                      find_engine("cpu").set_hash_key(hash_subkey, num_threads));
  }

 private:
  EngineInfo info_;
  std::vector<GpuDevice*> devices_;
};

std::vector<EngineEntry> unusable(const std::string& reason) {
  std::vector<EngineEntry> entries;
  entries.push_back({{"cuda", "NVIDIA GPUs", false, reason}, nullptr});
  return entries;
}

void add(std::vector<EngineEntry>& entries, const std::string& name, const std::string& description,
         const std::vector<GpuDevice*>& devices) {
  const EngineInfo info{name, description, true, ""};
  entries.push_back({info, std::make_unique<CudaEngine>(info, devices)});
}

/// The kernels need compute capability 7.5 (Turing).
bool is_new_enough(const cudaDeviceProp& properties) {
  return properties.major > 7 || (properties.major == 7 && properties.minor >= 5);
}

}  // namespace

std::vector<EngineEntry> find_cuda_engines() {
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
  const std::string count = devices.size() == 1 ? "" : std::to_string(devices.size()) + " GPUs, the first: ";
  add(entries, "cuda", "all GPUs: " + count + devices[0]->name(), devices);
  for (GpuDevice* device : devices) add(entries, "cuda:" + std::to_string(device->id()), device->name(), {device});
  return entries;
}

}  // namespace phalanx

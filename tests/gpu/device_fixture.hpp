// What the tests of GPU kernels share: memory of the device, and the keys in place. Without a GPU they are skipped.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/registry.hpp"

namespace phalanx {

using ByteVector = std::vector<std::uint8_t>;

inline void check_device(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// Memory of the current device.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size) : size_(size) { check_device(cudaMalloc(&memory_, size + 1)); }
  explicit DeviceBytes(const ByteVector& bytes) : DeviceBytes(bytes.size()) { set(bytes); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(memory_); }

  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(memory_); }
  void set(const ByteVector& bytes) {
    check_device(cudaMemcpy(memory_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  void poison() { check_device(cudaMemset(memory_, 0xa5, size_)); }
  [[nodiscard]] ByteVector get() const {
    ByteVector bytes(size_);
    check_device(cudaMemcpy(bytes.data(), memory_, size_, cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  std::size_t size_;
  void* memory_ = nullptr;
};

class DeviceTest : public testing::Test {
 protected:
  std::mt19937_64 random{71};

  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no NVIDIA GPU";
  }
  ByteVector random_bytes(std::size_t size) {
    ByteVector bytes(size);
    for (std::size_t i = 0; i < size; i += 8) {
      const std::uint64_t number = random();
      std::memcpy(bytes.data() + i, &number, std::min<std::size_t>(8, size - i));
    }
    return bytes;
  }
  /// Where a GPU kernel looks for its key.
  static void put_key_in_place(const CipherSpec& cipher, const ByteVector& key) {
    const GpuKernel& kernel = gpu_kernel_of(cipher);
    ByteVector memory(kernel.schedule_bytes + 64);
    void* schedule = memory.data();
    std::size_t space = memory.size();
    std::align(64, kernel.schedule_bytes, schedule, space);
    expand_gpu_key(cipher, key, schedule);
    void* place = nullptr;
    check_device(kernel.key_address(&place));
    check_device(cudaMemcpy(place, schedule, kernel.schedule_bytes, cudaMemcpyHostToDevice));
  }
};

/// Whether a tool looks at each access, which takes long: then few data show it every kernel (tools/pack/run_gpu_checks).
inline bool takes_few_data() { return std::getenv("PHALANX_FEW_DATA") != nullptr; }

inline constexpr Mode range_modes[] = {Mode::ecb, Mode::cbc, Mode::ctr, Mode::cfb, Mode::ofb, Mode::xts};

/// A test for every cipher.
class DeviceCipherTest : public DeviceTest, public testing::WithParamInterface<const CipherSpec*> {
 protected:
  const CipherSpec& cipher = *GetParam();
  const GpuKernel& kernel = gpu_kernel_of(cipher);
  const std::size_t block_bytes = cipher.block_bytes;

  static std::string describe(const CipherSpec& cipher, Mode mode, Direction direction) {
    return full_name({&cipher, mode}) + (direction == Direction::encrypt ? " encryption" : " decryption");
  }
  /// An iv; the counters that follow it carry out of their low half.
  ByteVector random_iv(Mode mode) {
    ByteVector iv = random_bytes(16);
    if (mode == Mode::ctr) std::fill(iv.begin() + static_cast<std::ptrdiff_t>(block_bytes) - 8, iv.end() - 2, 0xff);
    return iv;
  }
};

inline std::vector<const CipherSpec*> every_cipher() {
  std::vector<const CipherSpec*> ciphers;
  for (const CipherSpec& cipher : all_ciphers()) ciphers.push_back(&cipher);
  return ciphers;
}
inline std::string cipher_test_name(const testing::TestParamInfo<const CipherSpec*>& info) {
  std::string name = info.param->name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace phalanx

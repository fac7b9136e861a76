// Encrypts data in a GPU's memory, on a stream. Without a GPU it says so and ends.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>
#include <phalanx/cipher.hpp>
#include <vector>

namespace {

int run() {
  const std::vector<std::uint8_t> key(32, 1);  // in a real system: random
  const std::vector<std::uint8_t> iv(16, 2);
  const std::vector<std::uint8_t> plain(1'000'000, 3);
  const phalanx::DeviceCipher cipher("aes-256-ctr", key);

  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  if (cudaMalloc(&memory, plain.size()) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess) return 1;
  cudaMemcpyAsync(memory, plain.data(), plain.size(), cudaMemcpyHostToDevice, stream);
  cipher.encrypt(iv, 0, memory, memory, plain.size(), stream);  // in place, behind the copy
  std::vector<std::uint8_t> out(plain.size());
  cudaMemcpyAsync(out.data(), memory, out.size(), cudaMemcpyDeviceToHost, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 1;  // an error of the GPU shows here
  cudaStreamDestroy(stream);
  cudaFree(memory);

  std::vector<std::uint8_t> expected(plain.size());
  phalanx::Cipher("aes-256-ctr", key).encrypt(iv, plain, expected);
  std::printf("%s on %s: %zu bytes\n", cipher.facts().name.c_str(), cipher.engine().c_str(), out.size());
  return out == expected ? 0 : 1;
}

}  // namespace

int main() {
  for (const phalanx::EngineInfo& engine : phalanx::engines()) {
    if (engine.name != "cuda" || engine.usable) continue;
    std::printf("no GPU to run on: %s\n", engine.reason.c_str());
    return 0;
  }
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// What DeviceCipher does with data that is in device memory, by its public interface: the C++ side of
// bench/python/device_speed.py, which does the same by Python.
//
//   gpu_call_benchmark NAME BYTES NUM_CALLS NUM_RUNS
//
// Prints the bytes per second of each run, one a line: NUM_CALLS encryptions from one buffer to another, timed by events.
// Zeros under the key 00 01 02 ... and an iv of zeros. Exits 1 if a byte differs from the CPU's.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <phalanx/cipher.hpp>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_call_benchmark: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Events {
  cudaEvent_t first{};
  cudaEvent_t last{};
};

float milliseconds_of(const Events& events) {
  float milliseconds = 0;
  check(cudaEventSynchronize(events.last), "waiting");
  check(cudaEventElapsedTime(&milliseconds, events.first, events.last), "timing");
  return milliseconds;
}

int run(const std::string& name, std::size_t num_bytes, int num_calls, int num_runs) {
  const phalanx::CipherFacts& facts = phalanx::cipher_facts(name);
  std::vector<std::uint8_t> key(facts.key_bytes);
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  const std::vector<std::uint8_t> iv(facts.iv_bytes);
  const phalanx::Options options{.allow_legacy = true};
  const phalanx::DeviceCipher cipher(name, key, options);
  void* in = nullptr;
  void* out = nullptr;
  cudaStream_t stream = nullptr;
  Events events;
  check(cudaMalloc(&in, num_bytes), "allocating");
  check(cudaMalloc(&out, num_bytes), "allocating");
  check(cudaMemset(in, 0, num_bytes), "clearing");
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  check(cudaEventCreate(&events.first), "making an event");
  check(cudaEventCreate(&events.last), "making an event");
  check(cudaDeviceSynchronize(), "clearing");
  cipher.encrypt(iv, 0, in, out, num_bytes, stream);
  check(cudaStreamSynchronize(stream), "encrypting");
  for (int i = 0; i < num_runs; ++i) {
    check(cudaEventRecord(events.first, stream), "recording");
    for (int call = 0; call < num_calls; ++call) cipher.encrypt(iv, 0, in, out, num_bytes, stream);
    check(cudaEventRecord(events.last, stream), "recording");
    std::printf("%.0f\n", static_cast<double>(num_bytes) * num_calls / (milliseconds_of(events) / 1e3));
  }
  std::vector<std::uint8_t> got(num_bytes), expected(num_bytes);
  check(cudaMemcpy(got.data(), out, num_bytes, cudaMemcpyDeviceToHost), "copying");
  phalanx::Cipher(name, key, options).encrypt(iv, expected, expected);
  return got == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: gpu_call_benchmark NAME BYTES NUM_CALLS NUM_RUNS\n");
    return 2;
  }
  try {
    return run(argv[1], std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]), std::atoi(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_call_benchmark: %s\n", error.what());
    return 1;
  }
}

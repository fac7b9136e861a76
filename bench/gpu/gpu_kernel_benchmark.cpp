// What the GPU's kernels do with data that is in device memory: every cipher, mode and direction, each output compared byte
// for byte with the CPU engine's.
//
//   gpu_kernel_benchmark [--json FILE] [BYTES [NAME...]]     1 GiB of data; all ciphers, or those named
//
// Random data; the output is poisoned before it is checked; timed by events, the median of several runs that go round
// pairs of buffers larger than the L2 cache; payload bytes per second. Exits 1 if a byte differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/engines/cuda/gpu_hash.hpp"
#include "engine/engines/cuda/gpu_kernel.hpp"
#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/registry.hpp"
#include "gpu_figures.hpp"

namespace phalanx {
namespace {

constexpr int num_pairs = 2;
constexpr int num_runs = 9;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_kernel_benchmark: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct Buffers {
  std::size_t num_bytes;
  std::vector<std::uint8_t> plain;     // what the GPU's inputs hold
  std::vector<std::uint8_t> expected;  // by the CPU
  std::vector<std::uint8_t> got;
  std::uint8_t* in[num_pairs];
  std::uint8_t* out[num_pairs];
  std::uint8_t* share_states;

  explicit Buffers(std::size_t size) : num_bytes(size), plain(size), expected(size), got(size) {
    const std::vector<std::uint8_t> key(16, 0x5a);
    std::uint8_t counter[16] = {};
    const auto random = find_engine("cpu").set_key(*find_cipher("aes-128"), key, 0);
    random->crypt_range(Mode::ctr, Direction::encrypt, counter, plain.data(), plain.data(), size / 16);
    for (int i = 0; i < num_pairs; ++i) {
      check(cudaMalloc(reinterpret_cast<void**>(&in[i]), size), "input");
      check(cudaMalloc(reinterpret_cast<void**>(&out[i]), size), "output");
      check(cudaMemcpy(in[i], plain.data(), size, cudaMemcpyHostToDevice), "copy");
    }
    check(cudaMalloc(reinterpret_cast<void**>(&share_states), max_gpu_shares * 16), "scratch");
  }
};

struct Job {
  const CipherSpec& cipher;
  const GpuKernel& kernel;
  Mode mode;
  Direction direction;

  [[nodiscard]] GpuRangeFunction function() const {
    return kernel.range[static_cast<unsigned>(mode)][static_cast<unsigned>(direction)];
  }
};

GpuRange range_of(const Job& job, const Buffers& buffers, int pair) {
  GpuRange range{
      buffers.in[pair], buffers.out[pair], buffers.num_bytes / job.kernel.block_bytes, {}, buffers.share_states, false};
  for (unsigned i = 0; i < 16; ++i) range.iv[i] = static_cast<std::uint8_t>(0x80 + 7 * i);
  // A counter that carries out of its low half within the range.
  if (job.mode == Mode::ctr) std::memset(range.iv + job.kernel.block_bytes - 8, 0xff, 6);
  return range;
}

// Compares one run with the CPU. The first byte that differs, or the size.
std::size_t first_difference(const Job& job, Buffers& buffers, const KeyedCipher& cpu) {
  GpuRange range = range_of(job, buffers, 0);
  check(cudaMemset(buffers.out[0], 0xa5, buffers.num_bytes), "poison");
  check(job.function()(range, nullptr), "launch");
  check(cudaDeviceSynchronize(), "kernel");
  check(cudaMemcpy(buffers.got.data(), buffers.out[0], buffers.num_bytes, cudaMemcpyDeviceToHost), "copy");
  cpu.crypt_range(job.mode, job.direction, range.iv, buffers.plain.data(), buffers.expected.data(), range.num_blocks);
  const auto mismatch = std::mismatch(buffers.got.begin(), buffers.got.end(), buffers.expected.begin());
  return static_cast<std::size_t>(mismatch.first - buffers.got.begin());
}

template <class Run>
double median_seconds(Run run) {
  cudaEvent_t start;
  cudaEvent_t stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  std::vector<float> milliseconds;
  for (int i = 0; i < num_runs + 1; ++i) {
    check(cudaEventRecord(start), "event");
    check(run(i % num_pairs), "launch");
    check(cudaEventRecord(stop), "event");
    check(cudaEventSynchronize(stop), "kernel");
    float time = 0;
    check(cudaEventElapsedTime(&time, start, stop), "event");
    if (i != 0) milliseconds.push_back(time);  // the first one warms up
  }
  check(cudaEventDestroy(start), "event");
  check(cudaEventDestroy(stop), "event");
  std::nth_element(milliseconds.begin(), milliseconds.begin() + num_runs / 2, milliseconds.end());
  return milliseconds[num_runs / 2] / 1e3;
}

bool measure(const Job& job, Buffers& buffers, const KeyedCipher& cpu, double copy_speed, GpuFigures& figures) {
  const std::size_t same = first_difference(job, buffers, cpu);
  const double seconds = median_seconds([&](int pair) { return job.function()(range_of(job, buffers, pair), nullptr); });
  const double speed = static_cast<double>(buffers.num_bytes) / seconds / 1e9;
  const char* direction = job.direction == Direction::encrypt ? "encrypt" : "decrypt";
  const std::string name = full_name({&job.cipher, job.mode});
  std::printf("%-18s %s %8.1f GB/s %5.2f of a copy  %s", name.c_str(), direction, speed, speed / copy_speed,
              same == buffers.num_bytes ? "right\n" : "WRONG");
  if (same != buffers.num_bytes) std::printf(" from byte %zu\n", same);
  std::fflush(stdout);
  figures.add({{"cipher", name},
               {"direction", direction},
               {"bytes", buffers.num_bytes},
               {"gigabytes_per_second", speed},
               {"right", same == buffers.num_bytes}});
  return same == buffers.num_bytes;
}

// An expanded hash key, and a state.
struct DeviceHash {
  void* key;
  std::uint8_t* state;

  explicit DeviceHash(const std::uint8_t* hash_subkey) {
    check(cudaMalloc(&key, gpu_hash_key_bytes()), "hash key");
    check(cudaMalloc(reinterpret_cast<void**>(&state), 32), "hash state");
    check(cudaMemcpy(state, hash_subkey, 16, cudaMemcpyHostToDevice), "copy");
    check(expand_gpu_hash_key(state, key, nullptr), "hash key");
    check(cudaMemset(state, 0, 32), "hash state");
  }
  ~DeviceHash() {
    check(cudaFree(key), "hash key");
    check(cudaFree(state), "hash state");
  }
};

// GCM's two kernels, CTR and GHASH, one after the other; the ciphertext and the hash are checked.
bool measure_gcm(const CipherSpec& cipher, Buffers& buffers, const KeyedCipher& cpu, GpuFigures& figures) {
  const Job ctr{cipher, gpu_kernel_of(cipher), Mode::ctr, Direction::encrypt};
  std::uint8_t hash_subkey[16] = {};
  cpu.crypt_range(Mode::ecb, Direction::encrypt, nullptr, hash_subkey, hash_subkey, 1);
  const DeviceHash hash(hash_subkey);
  const auto run = [&](int pair) {
    const cudaError_t error = ctr.function()(range_of(ctr, buffers, pair), nullptr);
    return error != cudaSuccess ? error
                                : update_gpu_hash(hash.key, hash.state, buffers.out[pair], buffers.num_bytes / 16, nullptr);
  };
  check(cudaMemset(buffers.out[0], 0xa5, buffers.num_bytes), "poison");
  check(run(0), "launch");
  std::uint8_t got[16];
  std::uint8_t expected[16] = {};
  check(cudaMemcpy(got, hash.state, 16, cudaMemcpyDeviceToHost), "hash");
  check(cudaMemcpy(buffers.got.data(), buffers.out[0], buffers.num_bytes, cudaMemcpyDeviceToHost), "copy");
  cpu.crypt_range(Mode::ctr, Direction::encrypt, range_of(ctr, buffers, 0).iv, buffers.plain.data(), buffers.expected.data(),
                  buffers.num_bytes / 16);
  best_cpu_engine().set_hash_key(hash_subkey, 0).update(expected, buffers.expected.data(), buffers.num_bytes / 16);
  const bool right = std::memcmp(got, expected, 16) == 0 && buffers.got == buffers.expected;
  const double speed = static_cast<double>(buffers.num_bytes) / median_seconds(run) / 1e9;
  const std::string name = std::string(cipher.name) + "-gcm";
  std::printf("%-18s encrypt %8.1f GB/s  %s\n", name.c_str(), speed, right ? "right" : "WRONG");
  figures.add({{"cipher", name},
               {"direction", "encrypt"},
               {"bytes", buffers.num_bytes},
               {"gigabytes_per_second", speed},
               {"right", right}});
  return right;
}

bool measure_cipher(const CipherSpec& cipher, Buffers& buffers, double copy_speed, GpuFigures& figures) {
  const GpuKernel& kernel = gpu_kernel_of(cipher);
  std::vector<std::uint8_t> key(cipher.key_bytes);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(37 * i + 11);
  std::vector<std::uint8_t> schedule(kernel.schedule_bytes + 64);
  void* const expanded = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(schedule.data()) + 63) / 64 * 64);
  expand_gpu_key(cipher, key, expanded);
  void* address = nullptr;
  check(kernel.key_address(&address), "key");
  check(cudaMemcpy(address, expanded, kernel.schedule_bytes, cudaMemcpyHostToDevice), "key");
  const auto cpu = find_engine("cpu").set_key(cipher, key, 0);
  bool right = true;
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr, Mode::cfb, Mode::xts}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      const Job job{cipher, kernel, mode, direction};
      if (job.function() == nullptr || (mode == Mode::ctr && direction == Direction::decrypt)) continue;
      right &= measure(job, buffers, *cpu, copy_speed, figures);
    }
  }
  if (is_mode_of(cipher, Mode::gcm)) right &= measure_gcm(cipher, buffers, *cpu, figures);
  return right;
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("kernel");
  figures.take_option(num_arguments, arguments);
  const std::size_t num_bytes = num_arguments > 1 ? std::strtoull(arguments[1], nullptr, 0) / 16 * 16 : std::size_t{1} << 30;
  Buffers buffers(num_bytes);
  const double copy_speed =
      static_cast<double>(num_bytes) / 1e9 / median_seconds([&](int pair) {
        return cudaMemcpyAsync(buffers.out[pair], buffers.in[pair], num_bytes, cudaMemcpyDeviceToDevice);
      });
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device");
  std::printf("%s, %d multiprocessors; %zu bytes; a copy: %.0f GB/s\n", properties.name, properties.multiProcessorCount,
              num_bytes, copy_speed);
  figures.set("copy_gigabytes_per_second", copy_speed);
  bool right = true;
  for (const CipherSpec& cipher : all_ciphers()) {
    bool wanted = num_arguments <= 2;
    for (int i = 2; i < num_arguments; ++i) wanted |= std::strcmp(cipher.name, arguments[i]) == 0;
    if (wanted) right &= measure_cipher(cipher, buffers, copy_speed, figures);
  }
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) { return phalanx::run(num_arguments, arguments); }

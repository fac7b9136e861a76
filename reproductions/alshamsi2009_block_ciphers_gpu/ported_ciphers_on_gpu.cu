// Al Shamsi and Al Ali 2009, the GPU's part: AES, Serpent and Twofish ported to CUDA, one thread for each block of 16 bytes,
// ECB encryption; beside it our engine, and the modes of the paper's future work.
//
//   ported_ciphers_on_gpu [--check] [--runs N]
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>

#include "ported_cipher_data.hpp"

namespace papers {
namespace {

void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "ported_ciphers_on_gpu: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// Section 4.1: the tables and the key schedule are shared by the threads of a CUDA block, which copy them from global
// memory; each thread encrypts the block at its own offset. The rule for the grid gives more threads than blocks, so those
// beyond must do nothing.
template <class PortedCipher>
__global__ void encrypt_kernel(const PortedCipher* cipher, const Word* in, Word* out, std::size_t num_blocks) {
  __shared__ Word shared[sizeof(PortedCipher) / sizeof(Word)];
  for (unsigned i = threadIdx.x; i < sizeof(PortedCipher) / sizeof(Word); i += blockDim.x) {
    shared[i] = reinterpret_cast<const Word*>(cipher)[i];
  }
  __syncthreads();
  const std::size_t offset = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (offset >= num_blocks) return;
  reinterpret_cast<const PortedCipher*>(shared)->encrypt(in + 4 * offset, out + 4 * offset);
}

struct Grid {
  unsigned blocks;
  unsigned threads;
};

// Section 4.1: as many threads as a block may have, or half the size if the size is less; and size / 4 / threads blocks, with
// the size in words of 32 bits as in the AES code that the paper cites (cbguder/aes-on-cuda, table/AES.cu): a thread for each
// block of 16 bytes. That code's limit is twice the threads. The size must be a multiple of the threads.
Grid grid_of_words(std::size_t num_bytes, unsigned max_threads) {
  const std::size_t num_blocks = num_bytes / block_bytes;
  const unsigned threads = num_blocks < 2 * std::size_t{max_threads} ? static_cast<unsigned>(num_blocks / 2) : max_threads;
  return {static_cast<unsigned>(num_blocks / threads), threads};
}

// The other reading, with the size in bytes: four threads for each block of 16 bytes; a size below the limit would give a grid
// of no blocks.
Grid grid_of_bytes(std::size_t num_bytes, unsigned max_threads) {
  const unsigned threads = num_bytes < max_threads ? static_cast<unsigned>(num_bytes / 2) : max_threads;
  return {static_cast<unsigned>(num_bytes / 4 / threads), threads};
}

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t num_bytes) { check_cuda(cudaMalloc(&pointer_, num_bytes), "memory"); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(pointer_); }
  [[nodiscard]] Word* words() const { return static_cast<Word*>(pointer_); }

 private:
  void* pointer_ = nullptr;
};

class Stopwatch {
 public:
  Stopwatch() {
    check_cuda(cudaEventCreate(&start_), "event");
    check_cuda(cudaEventCreate(&stop_), "event");
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  // The seconds that the default stream takes for the work.
  template <class Work>
  double seconds_of(const Work& work) const {
    check_cuda(cudaEventRecord(start_), "event");
    work();
    check_cuda(cudaEventRecord(stop_), "event");
    check_cuda(cudaEventSynchronize(stop_), "kernel");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "event");
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

// One cipher's tables and one size's buffers on the GPU.
template <class PortedCipher>
struct Device {
  DeviceMemory cipher{sizeof(PortedCipher)};
  DeviceMemory in, out;
  std::size_t num_bytes;
  Stopwatch stopwatch;

  Device(const PortedCipher& expanded, std::size_t size) : in(size), out(size), num_bytes(size) {
    check_cuda(cudaMemcpy(cipher.words(), &expanded, sizeof expanded, cudaMemcpyHostToDevice), "copy");
  }

  void launch(Grid grid) const {
    encrypt_kernel<<<grid.blocks, grid.threads>>>(reinterpret_cast<const PortedCipher*>(cipher.words()), in.words(),
                                                  out.words(), num_bytes / block_bytes);
    check_cuda(cudaGetLastError(), "launch");
  }

  // To the GPU, the kernel, and back: the paper's total time. The seconds of the kernel alone.
  double encrypt(Grid grid, const ByteVector& plain, ByteVector& crypted) const {
    check_cuda(cudaMemcpy(in.words(), plain.data(), num_bytes, cudaMemcpyHostToDevice), "copy");
    const double seconds = stopwatch.seconds_of([&] { launch(grid); });
    check_cuda(cudaMemcpy(crypted.data(), out.words(), num_bytes, cudaMemcpyDeviceToHost), "copy");
    return seconds;
  }

  // So that what is not written is not taken for a result.
  void poison() const { check_cuda(cudaMemset(out.words(), 0xa5, num_bytes), "poison"); }

  [[nodiscard]] ByteVector fetch() const {
    ByteVector bytes(num_bytes);
    check_cuda(cudaMemcpy(bytes.data(), out.words(), num_bytes, cudaMemcpyDeviceToHost), "copy");
    return bytes;
  }

  // `expected`: at least as long, by reference/.
  void require_right(Grid grid, const ByteVector& plain, ByteVector& crypted, Bytes expected) const {
    poison();
    std::fill(crypted.begin(), crypted.end(), std::uint8_t{0});
    encrypt(grid, plain, crypted);
    require_equal(std::string(PortedCipher::name) + " on the GPU", crypted, expected.first(num_bytes));
  }
};

template <class Work>
double median_of(int num_runs, const Work& work) {
  work();
  std::vector<double> values;
  for (int i = 0; i < num_runs; ++i) values.push_back(work());
  return median(values);
}

// Our engine in ECB: from memory of the host to memory of the host, and in the GPU's memory alone.
template <class PortedCipher>
void time_ours(const Device<PortedCipher>& device, long mebibytes, int num_runs, const ByteVector& in, ByteVector& out,
               Bytes expected) {
  const phalanx::Cipher ours(std::string(PortedCipher::cipher) + "-ecb", key_128, {.engine = "cuda:0"},
                             {.allow_legacy = true});
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  const double total = median_seconds(num_runs, [&] { ours.encrypt({}, in, out); });
  require_equal("ours on the GPU", out, expected.first(out.size()));
  print_time<PortedCipher>(mebibytes, "GPU total", "ours", total);
  const phalanx::DeviceCipher of_device(std::string(PortedCipher::cipher) + "-ecb", key_128, {.engine = "cuda:0"},
                                        {.allow_legacy = true});
  const auto on_device = [&] { of_device.encrypt({}, 0, device.in.words(), device.out.words(), device.num_bytes); };
  device.poison();
  const double alone = median_of(num_runs, [&] { return device.stopwatch.seconds_of(on_device); });
  require_equal("ours in the GPU's memory", device.fetch(), expected.first(out.size()));
  print_time<PortedCipher>(mebibytes, "GPU", "ours", alone);
}

// Section 7: counter mode, and the decryption of CBC, in the GPU's memory, which holds `in`.
template <class PortedCipher>
void time_future_work(const Device<PortedCipher>& device, int num_runs, Bytes in) {
  const ByteVector iv(block_bytes, 7);
  const double megabits = static_cast<double>(device.num_bytes) * 8 / 1e6;
  for (const char* mode : future_modes) {
    const phalanx::DeviceCipher ours(std::string(PortedCipher::cipher) + "-" + mode, key_128, {.engine = "cuda:0"},
                                     {.allow_legacy = true});
    device.poison();
    const double seconds = median_of(num_runs, [&] {
      return device.stopwatch.seconds_of(
          [&] { ours.decrypt(iv, 0, device.in.words(), device.out.words(), device.num_bytes); });
    });
    require_equal(std::string("ours in the GPU's memory, ") + mode, device.fetch(),
                  decrypted_by_reference<PortedCipher>(mode, iv, in));
    print_figure({"section_7", PortedCipher::name, std::string(mode) + " decryption, GPU", "ours", "rate", "Mb/s",
                  megabits / seconds});
  }
}

// The rule for the grid, read both ways: "as printed" with the size in bytes, "needed" in words.
template <class PortedCipher>
void time_grids(const Device<PortedCipher>& device, unsigned max_threads, int num_runs, const ByteVector& in,
                ByteVector& out) {
  const std::string row = std::string(PortedCipher::name) + ", " + std::to_string(device.num_bytes / mebibyte) + " MB";
  for (const auto& [column, grid] : {std::pair{"grid as printed", grid_of_bytes(device.num_bytes, max_threads)},
                                     std::pair{"grid needed", grid_of_words(device.num_bytes, max_threads)}}) {
    const double seconds = median_of(num_runs, [&] { return device.encrypt(grid, in, out); });
    print_figure({"section_4", row, column, "method", "time", "ms", seconds * 1e3});
    print_figure(
        {"section_4", row, std::string(column) + ", threads", "method", "threads", "", double(grid.blocks) * grid.threads});
  }
}

template <class PortedCipher>
void measure(const PortedCipher& cipher, long mebibytes, unsigned max_threads, int num_runs, Bytes expected) {
  const ByteVector in = test_data(static_cast<std::size_t>(mebibytes) * mebibyte);
  ByteVector out(in.size());
  const Device<PortedCipher> device(cipher, in.size());
  for (const auto& [reading, grid] : {std::pair{"", grid_of_words(in.size(), max_threads)},
                                      std::pair{", size in bytes", grid_of_bytes(in.size(), max_threads)}}) {
    device.require_right(grid, in, out, expected);
    print_time<PortedCipher>(mebibytes, std::string("GPU total") + reading, "method",
                             median_seconds(num_runs, [&] { device.encrypt(grid, in, out); }));
    print_time<PortedCipher>(mebibytes, std::string("GPU") + reading, "method",
                             median_of(num_runs, [&] { return device.encrypt(grid, in, out); }));
  }
  time_grids(device, max_threads, num_runs, in, out);
  time_ours(device, mebibytes, num_runs, in, out, expected);
  if (mebibytes == 64) time_future_work(device, num_runs, in);
}

// Section 4.1 measures the bandwidth of the bus by the CUDA SDK's test: copies of 32 MiB, pageable memory.
void measure_bus(int num_runs) {
  ByteVector host(32 * mebibyte);
  const DeviceMemory device(host.size());
  const auto print = [&](const char* column, cudaMemcpyKind kind, void* to, const void* from) {
    const double seconds = median_seconds(num_runs, [&] {
      check_cuda(cudaMemcpy(to, from, host.size(), kind), "copy");
      check_cuda(cudaDeviceSynchronize(), "copy");
    });
    print_figure({"section_4", "bus", column, "method", "rate", "GB/s", static_cast<double>(host.size()) / seconds / 1e9});
  };
  print("host to device", cudaMemcpyHostToDevice, device.words(), host.data());
  print("device to host", cudaMemcpyDeviceToHost, host.data(), device.words());
}

void check(unsigned max_threads) {
  for_each_cipher([&]<class PortedCipher>(const PortedCipher& cipher) {
    for (const std::size_t num_blocks : {1000, 5 * 1024}) {
      const ByteVector in = test_data(num_blocks * block_bytes);
      ByteVector out(in.size());
      const ByteVector expected = encrypted_by_reference<PortedCipher>(in.size());
      const Device<PortedCipher> device(cipher, in.size());
      device.require_right(grid_of_words(in.size(), max_threads), in, out, expected);
      device.require_right(grid_of_bytes(in.size(), max_threads), in, out, expected);
    }
  });
}

int run(const Arguments& arguments) {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) {
    print_skipped("ported_ciphers_on_gpu", "no NVIDIA GPU here");
    return cannot_run;
  }
  const unsigned max_threads = static_cast<unsigned>(properties.maxThreadsPerBlock);
  if (arguments.has("--check")) return check(max_threads), 0;
  const int num_runs = static_cast<int>(arguments.number("--runs", 9));
  print_compiler();
  print_line({"fact", "gpu", properties.name});
  for_each_cipher([&]<class PortedCipher>(const PortedCipher& cipher) {
    const ByteVector expected = encrypted_by_reference<PortedCipher>(64 * mebibyte);
    for (const long mebibytes : sizes_mebibytes) measure(cipher, mebibytes, max_threads, num_runs, expected);
  });
  measure_bus(num_runs);
  return 0;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) { return papers::run({argc, argv}); }

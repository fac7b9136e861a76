// The engine cuda end to end, from memory of the host to memory of the host, pageable and page-locked, beside what the link itself
// moves both ways at once.
//
//   gpu_host_benchmark [--json FILE] [BYTES [CIPHER-MODE...]]     1 GiB
//
// Random data; what was encrypted is compared byte for byte with the CPU engine's, and decrypted again. The median of several
// runs, by the host's clock; payload bytes per second. Exits 1 if a byte differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "ciphers/cipher_spec.hpp"
#include "gpu_figures.hpp"

namespace phalanx {
namespace {

constexpr int num_runs = 5;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_host_benchmark: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class Run>
double median_seconds(Run run) {
  std::vector<double> seconds;
  for (int i = 0; i < num_runs + 1; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (i != 0) seconds.push_back(time.count());  // the first one warms up
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[num_runs / 2];
}

std::uint8_t* page_locked(std::size_t num_bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, num_bytes, cudaHostAllocDefault), "page-locked memory");
  return static_cast<std::uint8_t*>(memory);
}

/// Bytes a second each way while both ways are busy.
double measure_link(std::size_t num_bytes, std::uint8_t* in, std::uint8_t* out) {
  void* device = nullptr;
  check(cudaMalloc(&device, 2 * num_bytes), "device memory");
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream), "stream");
  auto* const there = static_cast<std::uint8_t*>(device);
  const double seconds = median_seconds([&] {
    check(cudaMemcpyAsync(there, in, num_bytes, cudaMemcpyHostToDevice, streams[0]), "copy");
    check(cudaMemcpyAsync(out, there + num_bytes, num_bytes, cudaMemcpyDeviceToHost, streams[1]), "copy");
    check(cudaDeviceSynchronize(), "copy");
  });
  check(cudaFree(device), "device memory");
  return static_cast<double>(num_bytes) / seconds;
}

struct Buffers {
  std::vector<std::uint8_t> in;
  std::vector<std::uint8_t> out;
  std::uint8_t* locked_in;
  std::uint8_t* locked_out;
  double link;

  explicit Buffers(std::size_t num_bytes)
      : in(num_bytes), out(num_bytes), locked_in(page_locked(num_bytes)), locked_out(page_locked(num_bytes)) {
    const Cipher random("aes-128-ctr", std::vector<std::uint8_t>(16, 0x5a), {"cpu", 0});
    random.encrypt(std::vector<std::uint8_t>(16), in, in);
    std::memcpy(locked_in, in.data(), num_bytes);
    std::memset(locked_out, 0, num_bytes);
    link = measure_link(num_bytes, locked_in, locked_out);
  }
};

bool measure(const std::string& name, Buffers& buffers, GpuFigures& figures) {
  std::vector<std::uint8_t> key(key_bytes(parse_cipher_name(name)));
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(37 * i + 11);
  const Cipher cpu(name, key, {"cpu", 0});
  const Cipher cuda(name, key, {"cuda", 0});
  const std::vector<std::uint8_t> iv(cpu.iv_bytes(), 0xf7);
  std::vector<std::uint8_t> ciphertext(buffers.in.size());
  cpu.encrypt(iv, buffers.in, ciphertext);
  const bool decrypts = name.ends_with("-cbc") || name.ends_with("-cfb");  // whose encryption is serial
  const std::vector<std::uint8_t>& from = decrypts ? ciphertext : buffers.in;
  const std::vector<std::uint8_t>& to = decrypts ? buffers.in : ciphertext;
  const auto crypt = [&](Bytes in, MutableBytes out) { decrypts ? cuda.decrypt(iv, in, out) : cuda.encrypt(iv, in, out); };
  const std::size_t size = from.size();
  const double pageable = median_seconds([&] { crypt(from, buffers.out); });
  bool right = buffers.out == to;
  std::memcpy(buffers.locked_in, from.data(), size);
  const double locked = median_seconds([&] { crypt({buffers.locked_in, size}, {buffers.locked_out, size}); });
  right &= std::memcmp(buffers.locked_out, to.data(), size) == 0;
  crypt({buffers.locked_in, size}, {buffers.locked_in, size});
  right &= std::memcmp(buffers.locked_in, to.data(), size) == 0;
  const double bytes = static_cast<double>(size);
  std::printf("%-18s %s  pageable %6.1f GB/s, page-locked %6.1f GB/s: %4.2f of the link  %s\n", name.c_str(),
              decrypts ? "decrypt" : "encrypt", bytes / pageable / 1e9, bytes / locked / 1e9, bytes / locked / buffers.link,
              right ? "right" : "WRONG");
  std::fflush(stdout);
  figures.add({{"cipher", name},
               {"direction", decrypts ? "decrypt" : "encrypt"},
               {"bytes", size},
               {"pageable_gigabytes_per_second", bytes / pageable / 1e9},
               {"page_locked_gigabytes_per_second", bytes / locked / 1e9},
               {"right", right}});
  return right;
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("end to end");
  figures.take_option(num_arguments, arguments);
  const std::size_t num_bytes = num_arguments > 1 ? std::strtoull(arguments[1], nullptr, 0) / 16 * 16 : std::size_t{1} << 30;
  std::vector<std::string> names(arguments + std::min(num_arguments, 2), arguments + num_arguments);
  if (names.empty()) names = {"des-ede3-cbc", "aes-256-ctr", "serpent-256-xts", "twofish-256-ctr"};
  Buffers buffers(num_bytes);
  std::printf("%zu bytes; the link: %.1f GB/s each way at once\n", num_bytes, buffers.link / 1e9);
  figures.set("link_gigabytes_per_second", buffers.link / 1e9);
  bool right = true;
  for (const std::string& name : names) right &= measure(name, buffers, figures);
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) {
  try {
    return phalanx::run(num_arguments, arguments);
  } catch (const phalanx::Error& error) {
    std::fprintf(stderr, "gpu_host_benchmark: %s\n", error.what());
    return 1;
  }
}

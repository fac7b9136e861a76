// Containers to and from a GPU's memory, beside a plain copy of as many bytes: what ContainerReader::read_to_device and
// ContainerWriter::write_from_device reach of the link.
//
//   gpu_container_benchmark [--json FILE] [BYTES [FOLDER [SUITE...]]]     4 GiB, /dev/shm; aes-256 and serpent-256
//
// Random data. From page-locked memory: beside cudaMemcpy of the same memory. From a file in FOLDER, which the page cache has:
// beside a loader that reads the plain file by threads into page-locked buffers and copies them. Sealing: to page-locked memory
// by a function that copies on all threads, and by one that leaves the bytes where they are, beside a copy from the GPU. The
// median of several runs, by the host's clock, of both in turn;
// plaintext bytes per second. What is opened is compared with the plaintext on the GPU's side of the link, byte for byte. Exits
// 1 if a byte differs.
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <phalanx/files/container.hpp>
#include <phalanx/phalanx.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/threads/threads.hpp"
#include "gpu_figures.hpp"

namespace phalanx {
namespace {

constexpr int num_runs = 5;
constexpr std::size_t piece_bytes = std::size_t{16} << 20;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "gpu_container_benchmark: %s\n", what.c_str());
  std::exit(1);
}
void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

std::uint8_t* page_locked(std::size_t num_bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, num_bytes, cudaHostAllocDefault), "page-locked memory");
  return static_cast<std::uint8_t*>(memory);
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Medians of both, which take turns. The first runs warm up.
std::pair<double, double> median_seconds(const std::function<void()>& ours, const std::function<void()>& plain) {
  std::vector<double> seconds[2];
  for (int i = 0; i <= num_runs; ++i) {
    const double of_ours = seconds_of(ours);
    const double of_plain = seconds_of(plain);
    if (i == 0) continue;
    seconds[0].push_back(of_ours);
    seconds[1].push_back(of_plain);
  }
  for (auto& times : seconds) std::sort(times.begin(), times.end());
  return {seconds[0][num_runs / 2], seconds[1][num_runs / 2]};
}

// body(start, size) for the parts of so many bytes, on all threads of the library: both sides of a comparison have these.
void in_parts(std::size_t num_bytes, const std::function<void(std::size_t start, std::size_t size)>& body) {
  constexpr std::size_t part = std::size_t{1} << 20;
  run_parallel(0, (num_bytes + part - 1) / part, [&](std::size_t first, std::size_t last) {
    body(first * part, std::min(last * part, num_bytes) - first * part);
  });
}

// A file's bytes into a GPU's memory: threads read into page-locked buffers, each copied while the next is read.
class PlainLoader {
 public:
  PlainLoader(const std::string& path, std::size_t num_bytes) : file_(open(path.c_str(), O_RDONLY)), num_bytes_(num_bytes) {
    if (file_ < 0) fail("cannot open " + path);
    for (Buffer& buffer : buffers_) {
      buffer.memory = page_locked(piece_bytes);
      check(cudaStreamCreateWithFlags(&buffer.stream, cudaStreamNonBlocking), "stream");
    }
  }
  PlainLoader(const PlainLoader&) = delete;
  PlainLoader& operator=(const PlainLoader&) = delete;
  ~PlainLoader() {
    for (Buffer& buffer : buffers_) {
      check(cudaStreamDestroy(buffer.stream), "stream");
      check(cudaFreeHost(buffer.memory), "memory");
    }
    close(file_);
  }

  void load(std::uint8_t* out) {
    std::size_t number = 0;
    for (std::size_t done = 0; done < num_bytes_; done += piece_bytes, ++number) {
      Buffer& buffer = buffers_[number % 3];
      check(cudaStreamSynchronize(buffer.stream), "copy");
      const std::size_t size = std::min(piece_bytes, num_bytes_ - done);
      read_piece(done, buffer.memory, size);
      check(cudaMemcpyAsync(out + done, buffer.memory, size, cudaMemcpyHostToDevice, buffer.stream), "copy");
    }
    check(cudaDeviceSynchronize(), "copy");
  }

 private:
  struct Buffer {
    std::uint8_t* memory;
    cudaStream_t stream;
  };

  void read_piece(std::size_t offset, std::uint8_t* to, std::size_t size) const {
    in_parts(size, [&](std::size_t start, std::size_t wanted) {
      if (pread(file_, to + start, wanted, static_cast<off_t>(offset + start)) != static_cast<ssize_t>(wanted)) fail("read");
    });
  }

  int file_;
  std::size_t num_bytes_;
  Buffer buffers_[3];
};

class Measurement {
 public:
  Measurement(std::size_t num_bytes, std::string folder, GpuFigures& figures)
      : num_bytes_(num_bytes), folder_(std::move(folder)), figures_(figures), plain_(page_locked(num_bytes)) {
    const std::vector<std::uint8_t> key(16, 0x5a), iv(16, 0);
    const MutableBytes text{plain_, num_bytes};
    Cipher("aes-128-ctr", key).encrypt(iv, text, text);
    check(cudaMalloc(reinterpret_cast<void**>(&out_), num_bytes), "device memory");
    write_file(plain_path(), text);
  }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  ~Measurement() {
    check(cudaFree(out_), "memory");
    check(cudaFreeHost(plain_), "memory");
    unlink(plain_path().c_str());
    unlink(sealed_path().c_str());
  }

  bool measure(const std::string& suite) {
    const std::vector<std::uint8_t> key(32, 7);
    const Recipient recipient{.kind = KeyKind::key, .secret = key, .cost = {}};
    const Identity identity{.kind = KeyKind::key, .secret = key};
    const std::size_t size = container_bytes(suite, {&recipient, 1}, num_bytes_);
    std::uint8_t* const container = page_locked(size);
    seal_container(suite, {&recipient, 1}, {plain_, num_bytes_}, {container, size});
    write_file(sealed_path(), {container, size});
    const auto copy_in = [&] { check(cudaMemcpy(out_, plain_, num_bytes_, cudaMemcpyHostToDevice), "copy"); };
    bool right = true;
    {
      const ContainerReader reader({container, size}, {&identity, 1});
      right &= report(
          suite, "page-locked memory", [&] { reader.read_to_device(0, out_, num_bytes_); }, copy_in);
    }
    {
      const ContainerReader reader(sealed_path(), {&identity, 1});
      PlainLoader loader(plain_path(), num_bytes_);
      right &= report(
          suite, "a file in the page cache", [&] { reader.read_to_device(0, out_, num_bytes_); },
          [&] { loader.load(out_); });
    }
    right &= seal(suite, recipient, identity, {container, size});
    check(cudaFreeHost(container), "memory");
    return right;
  }

 private:
  [[nodiscard]] std::string plain_path() const { return folder_ + "/gpu_container_benchmark.plain"; }
  [[nodiscard]] std::string sealed_path() const { return folder_ + "/gpu_container_benchmark.phalanx"; }

  static void write_file(const std::string& path, Bytes bytes) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
      fail("cannot write " + path);
  }

  // Both directions of a copy give the plaintext on the GPU. Before the check it is overwritten.
  bool report(const std::string& suite, const char* from, const std::function<void()>& ours,
              const std::function<void()>& plain) {
    check(cudaMemset(out_, 0xa5, num_bytes_), "poison");
    ours();
    const bool is_right = has_plaintext();
    const auto [seconds, plain_seconds] = median_seconds(ours, plain);
    return add(suite, "open", from, seconds, plain_seconds, is_right);
  }

  bool seal(const std::string& suite, const Recipient& recipient, const Identity& identity, MutableBytes container) {
    check(cudaMemcpy(out_, plain_, num_bytes_, cudaMemcpyHostToDevice), "copy");
    const auto seal_to = [&](const std::function<void(Bytes)>& append) {
      ContainerWriter writer(append, suite, {&recipient, 1});
      writer.write_from_device(out_, num_bytes_);
      writer.finish();
    };
    const auto run = [&] {
      std::size_t done = 0;
      seal_to([&](Bytes bytes) {
        in_parts(bytes.size(), [&](std::size_t start, std::size_t size) {
          std::memcpy(container.data() + done + start, bytes.data() + start, size);
        });
        done += bytes.size();
      });
    };
    run();
    std::vector<std::uint8_t> opened(num_bytes_);
    ContainerReader(Bytes(container), {&identity, 1}).read(0, opened);
    const bool is_right = std::memcmp(opened.data(), plain_, num_bytes_) == 0;
    const auto copy_out = [&] { check(cudaMemcpy(container.data(), out_, num_bytes_, cudaMemcpyDeviceToHost), "copy"); };
    const auto [seconds, plain_seconds] = median_seconds(run, copy_out);
    const bool is_reported = add(suite, "seal", "page-locked memory", seconds, plain_seconds, is_right);
    const auto [left_seconds, other_seconds] = median_seconds([&] { seal_to([](Bytes /*bytes*/) {}); }, copy_out);
    return add(suite, "seal", "left where they are", left_seconds, other_seconds, is_right) && is_reported;
  }

  bool add(const std::string& suite, const char* direction, const char* where, double seconds, double plain_seconds,
           bool is_right) {
    const double speed = static_cast<double>(num_bytes_) / seconds / 1e9;
    const double plain_speed = static_cast<double>(num_bytes_) / plain_seconds / 1e9;
    std::printf("%-12s %s, %-24s %6.1f GB/s, plain %6.1f GB/s: %.3f of it  %s\n", suite.c_str(), direction, where, speed,
                plain_speed, speed / plain_speed, is_right ? "right" : "WRONG");
    std::fflush(stdout);
    figures_.add({{"suite", suite},
                  {"direction", direction},
                  {"where", where},
                  {"bytes", num_bytes_},
                  {"gigabytes_per_second", speed},
                  {"plain_gigabytes_per_second", plain_speed},
                  {"right", is_right}});
    return is_right;
  }

  [[nodiscard]] bool has_plaintext() const {
    std::vector<std::uint8_t> got(piece_bytes);
    for (std::size_t done = 0; done < num_bytes_; done += piece_bytes) {
      const std::size_t size = std::min(piece_bytes, num_bytes_ - done);
      check(cudaMemcpy(got.data(), out_ + done, size, cudaMemcpyDeviceToHost), "copy");
      if (std::memcmp(got.data(), plain_ + done, size) != 0) return false;
    }
    return true;
  }

  std::size_t num_bytes_;
  std::string folder_;
  GpuFigures& figures_;
  std::uint8_t* plain_;
  std::uint8_t* out_ = nullptr;
};

int run(int num_arguments, char** arguments) {
  GpuFigures figures("containers");
  figures.take_option(num_arguments, arguments);
  const std::size_t num_bytes = num_arguments > 1 ? std::strtoull(arguments[1], nullptr, 0) : std::size_t{4} << 30;
  const std::string folder = num_arguments > 2 ? arguments[2] : "/dev/shm";
  std::vector<std::string> suites(arguments + std::min(num_arguments, 3), arguments + num_arguments);
  if (suites.empty()) suites = {"aes-256", "serpent-256"};
  Measurement measurement(num_bytes, folder, figures);
  bool right = true;
  for (const std::string& suite : suites) right &= measurement.measure(suite);
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) { return phalanx::run(num_arguments, arguments); }

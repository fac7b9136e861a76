// An encrypted Parquet file decrypted into a GPU's memory, beside a plain copy of as many bytes, and beside OpenSSL on the CPU.
//
//   gpu_parquet_benchmark [--json FILE] [BYTES [PAGE_BYTES...]]     4 GiB of pages of 1 MiB, and of 64 KiB
//   gpu_parquet_benchmark [--json FILE] PATH       AES_GCM_V1 or AES_GCM_CTR_V1, all under the key of the bytes 0 to 15
//
// Made files have random pages in column chunks of 8 MiB, under AES-256 in AES_GCM_V1. From page-locked memory: beside
// cudaMemcpy of the file. From pageable memory. OpenSSL's GCM opens the same pages on one thread and on all into page-locked buffers, which
// are copied while the next pages are opened. By the host's clock, runs of all in turn, the file's bytes per second: the median, and the
// best. The image is compared with the CPU's, byte for byte. Exits 1 if a byte differs.
#include <cuda_runtime_api.h>
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <phalanx/cipher.hpp>
#include <phalanx/parquet/modular_encryption.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/threads/threads.hpp"
#include "gpu_figures.hpp"
#include "parquet/footer.hpp"
#include "parquet/module_facts.hpp"
#include "tests/parquet/made_parquet.hpp"

namespace phalanx {
namespace {

constexpr int num_runs = 5;
constexpr std::size_t piece_bytes = std::size_t{16} << 20, chunk_bytes = std::size_t{8} << 20;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "gpu_parquet_benchmark: %s\n", what.c_str());
  std::exit(1);
}
void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
}

Buffer counted_key(std::size_t num_bytes) {
  Buffer key(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

struct Times {
  std::vector<double> seconds{};
  void take(const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  [[nodiscard]] double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  [[nodiscard]] double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
};

// OpenSSL's GCM over the pages of a made file: one column, chunks of so many pages.
class OpensslLoader {
 public:
  OpensslLoader(Bytes file, Bytes key, std::size_t pages_a_chunk) : file_(file), key_(key.begin(), key.end()) {
    MemorySource source(file);
    const Footer footer = read_footer(source);
    const Bytes end = file.last(8);
    const std::size_t footer_bytes = load_u32(end.data());
    const Bytes modules = file.subspan(4, file.size() - 12 - footer_bytes);
    const std::vector<ParquetSpan> spans = walk_parquet_modules(modules);
    for (std::size_t i = 0; i < spans.size() / 2; ++i) {
      Page& page = pages_.emplace_back();
      page.body = modules.subspan(spans[2 * i + 1].offset, spans[2 * i + 1].num_bytes);
      append_aad(
          page.aad, footer.crypto.aad_file_unique,
          {ParquetModule::data_page, static_cast<unsigned>(i / pages_a_chunk), 0, static_cast<unsigned>(i % pages_a_chunk)});
    }
    for (Staging& buffer : buffers_) {
      check(cudaHostAlloc(reinterpret_cast<void**>(&buffer.memory), piece_bytes, cudaHostAllocDefault), "memory");
      check(cudaStreamCreateWithFlags(&buffer.stream, cudaStreamNonBlocking), "stream");
    }
  }
  OpensslLoader(const OpensslLoader&) = delete;
  OpensslLoader& operator=(const OpensslLoader&) = delete;
  ~OpensslLoader() {
    for (Staging& buffer : buffers_) {
      check(cudaStreamDestroy(buffer.stream), "stream");
      check(cudaFreeHost(buffer.memory), "memory");
    }
  }

  // The plain pages, one behind the other.
  void load(std::uint8_t* out, int num_threads) {
    std::size_t number = 0;
    for (std::size_t first = 0; first < pages_.size(); ++number) {
      Staging& buffer = buffers_[number % 3];
      check(cudaStreamSynchronize(buffer.stream), "copy");
      std::vector<std::size_t> places;
      std::size_t num_bytes = 0, last = first;
      for (; last < pages_.size() && num_bytes + pages_[last].plain_bytes() <= piece_bytes; ++last) {
        places.push_back(num_bytes);
        num_bytes += pages_[last].plain_bytes();
      }
      run_parallel(num_threads, last - first, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) open(pages_[first + i], buffer.memory + places[i]);
      });
      check(cudaMemcpyAsync(out, buffer.memory, num_bytes, cudaMemcpyHostToDevice, buffer.stream), "copy");
      out += num_bytes;
      first = last;
    }
    check(cudaDeviceSynchronize(), "copy");
  }

 private:
  struct Page {
    Bytes body{};
    Buffer aad{};
    [[nodiscard]] std::size_t plain_bytes() const { return body.size() - gcm_module_added_bytes; }
  };
  struct Staging {
    std::uint8_t* memory;
    cudaStream_t stream;
  };

  void open(const Page& page, std::uint8_t* out) const {
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                  &EVP_CIPHER_CTX_free);
    int size = 0;
    const int text_bytes = static_cast<int>(page.plain_bytes());
    auto* const tag = const_cast<std::uint8_t*>(page.body.last(module_tag_bytes).data());
    const bool is_open =
        EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.data(), page.body.data() + module_length_bytes) ==
            1 &&
        EVP_DecryptUpdate(context.get(), nullptr, &size, page.aad.data(), static_cast<int>(page.aad.size())) == 1 &&
        EVP_DecryptUpdate(context.get(), out, &size, page.body.data() + ctr_module_added_bytes, text_bytes) == 1 &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, module_tag_bytes, tag) == 1 &&
        EVP_DecryptFinal_ex(context.get(), out + size, &size) == 1;
    if (!is_open) fail("OpenSSL does not open a page");
  }

  Bytes file_;
  Buffer key_;
  std::vector<Page> pages_;
  Staging buffers_[3]{};
};

class Measurement {
 public:
  Measurement(Buffer file, std::size_t key_bytes, std::string name, GpuFigures& figures)
      : file_(std::move(file)), key_(counted_key(key_bytes)), name_(std::move(name)), figures_(figures) {
    check(cudaHostAlloc(reinterpret_cast<void**>(&page_locked_), file_.size(), cudaHostAllocDefault), "page-locked memory");
    check(cudaMalloc(reinterpret_cast<void**>(&out_), file_.size()), "device memory");
    run_parallel(0, file_.size() / piece_bytes + 1, [&](std::size_t first, std::size_t last) {
      const std::size_t from = first * piece_bytes, to = std::min(last * piece_bytes, file_.size());
      std::memcpy(page_locked_ + from, file_.data() + from, to - from);
    });
  }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  ~Measurement() {
    check(cudaFree(out_), "memory");
    check(cudaFreeHost(page_locked_), "memory");
  }

  // pages_a_chunk: 0: OpenSSL does not know the file.
  bool measure(std::size_t pages_a_chunk) {
    Times cpu, ours, pageable, copies, openssl, openssl_one;
    Buffer image;
    cpu.take([&] { (void)decrypt_parquet(file_, image, keys()); });
    bool is_right = true;
    for (const Bytes file : {Bytes(page_locked_, file_.size()), Bytes(file_)}) {
      check(cudaMemset(out_, 0xa5, file_.size()), "poison");
      is_right &= decrypt(file) == image.size() && has(image);
    }
    std::unique_ptr<OpensslLoader> loader;
    if (pages_a_chunk != 0) loader = std::make_unique<OpensslLoader>(Bytes(page_locked_, file_.size()), key_, pages_a_chunk);
    for (int i = 0; i < num_runs; ++i) {
      ours.take([&] { decrypt({page_locked_, file_.size()}); });
      copies.take([&] { check(cudaMemcpy(out_, page_locked_, file_.size(), cudaMemcpyHostToDevice), "copy"); });
      pageable.take([&] { decrypt(file_); });
      if (loader != nullptr) openssl.take([&] { loader->load(out_, 0); });
    }
    if (loader != nullptr) openssl_one.take([&] { loader->load(out_, 1); });
    report("a copy from page-locked memory", copies, copies, is_right);
    report("page-locked memory", ours, copies, is_right);
    report("pageable memory", pageable, copies, is_right);
    report("the CPU, to memory of the host", cpu, copies, is_right);
    if (loader != nullptr) report("OpenSSL, all threads, and copies", openssl, copies, is_right);
    if (loader != nullptr) report("OpenSSL, one thread, and copies", openssl_one, copies, is_right);
    return is_right;
  }

 private:
  [[nodiscard]] ParquetKeyFinder keys() const {
    return [this](const ParquetKeyRequest&) { return Secret(key_); };
  }
  std::uint64_t decrypt(Bytes file) const { return decrypt_parquet_to_device(file, out_, file_.size(), keys()).plain_bytes; }

  [[nodiscard]] bool has(const Buffer& image) const {
    Buffer got(piece_bytes);
    for (std::size_t done = 0; done < image.size(); done += piece_bytes) {
      const std::size_t size = std::min(piece_bytes, image.size() - done);
      check(cudaMemcpy(got.data(), out_ + done, size, cudaMemcpyDeviceToHost), "copy");
      if (std::memcmp(got.data(), image.data() + done, size) != 0) return false;
    }
    return true;
  }

  void report(const char* what, const Times& times, const Times& copies, bool is_right) {
    const auto speed = [this](double seconds) { return static_cast<double>(file_.size()) / seconds / 1e9; };
    std::printf("%s, %-33s %6.2f GB/s, best %6.2f: %.3f of a copy, best of best %.3f  %s\n", name_.c_str(), what,
                speed(times.median()), speed(times.best()), copies.median() / times.median(), copies.best() / times.best(),
                is_right ? "right" : "WRONG");
    std::fflush(stdout);
    figures_.add({{"file", name_},
                  {"what", what},
                  {"bytes", file_.size()},
                  {"gigabytes_per_second", speed(times.median())},
                  {"best_gigabytes_per_second", speed(times.best())},
                  {"of_a_copy", copies.median() / times.median()},
                  {"best_of_a_copy", copies.best() / times.best()},
                  {"right", is_right}});
  }

  Buffer file_;
  Buffer key_;
  std::string name_;
  GpuFigures& figures_;
  std::uint8_t* page_locked_ = nullptr;
  std::uint8_t* out_ = nullptr;
};

// A plain file is encrypted first.
Buffer read_file(const char* path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) fail(std::string("cannot read ") + path);
  Buffer file(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size()));
  MemorySource source(file);
  if (read_footer(source).kind != FooterKind::plain) return file;
  Buffer encrypted;
  encrypted.reserve(file.size() + file.size() / 64);
  (void)encrypt_parquet(file, encrypted, ParquetKey(counted_key(16)));
  return encrypted;
}

Buffer made_file(std::size_t num_bytes, std::size_t page_bytes) {
  const Buffer key(16, 0x5a);
  const Cipher cipher("aes-128-ctr", key);
  Buffer iv(16);
  test::MadeParquet file([&](MutableBytes page) {
    store_u32(iv.data(), load_u32(iv.data()) + 1);
    cipher.encrypt(iv, page, page);
  });
  file.reserve(num_bytes + num_bytes / 512);
  const std::vector<std::size_t> pages(chunk_bytes / page_bytes, page_bytes);
  for (std::size_t done = 0; done < num_bytes; done += chunk_bytes) file.add_row_group({{"numbers", pages}});
  const Buffer plain = file.finish();
  Buffer encrypted;
  encrypted.reserve(plain.size() + plain.size() / 64);
  (void)encrypt_parquet(plain, encrypted, ParquetKey(counted_key(32)));
  return encrypted;
}

bool measure_made(std::size_t num_bytes, std::size_t page_bytes, GpuFigures& figures) {
  return Measurement(made_file(num_bytes, page_bytes), 32, "pages of " + std::to_string(page_bytes), figures)
      .measure(chunk_bytes / page_bytes);
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("parquet");
  figures.take_option(num_arguments, arguments);
  const char* const first = num_arguments > 1 ? arguments[1] : "4294967296";
  bool is_right = true;
  if (first[0] < '0' || first[0] > '9') {
    is_right = Measurement(read_file(first), 16, first, figures).measure(0);
  } else {
    std::vector<std::size_t> page_bytes;
    for (int i = 2; i < num_arguments; ++i) page_bytes.push_back(std::strtoull(arguments[i], nullptr, 0));
    if (page_bytes.empty()) page_bytes = {std::size_t{1} << 20, std::size_t{64} << 10};
    for (const std::size_t size : page_bytes) is_right &= measure_made(std::strtoull(first, nullptr, 0), size, figures);
  }
  figures.write();
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) { return phalanx::run(num_arguments, arguments); }

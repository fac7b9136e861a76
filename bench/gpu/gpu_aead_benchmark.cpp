// What DeviceAead does with pages that are in device memory: sealed and opened, every byte and tag of a run compared with the
// CPU engine's.
//
//   gpu_aead_benchmark [--json FILE] [BYTES [NAME...]]     1 GiB of data; AES-128, AES-256, Serpent, Twofish and XAES-256-GCM and
//                                                          chunked encryption, or those named
//
// Random data, in pages of 1 MiB, 64 KiB, 8 KiB and 1 KiB, each with 13 bytes of associated data, from one arena into another;
// under one key, and AES-256 also under a key each. And the data, and a 64th of them, as a message of chunked encryption, whose
// chunks lie at multiples of 16 where it begins 8 bytes behind one.
// The output is poisoned before it is checked; timed by events round whole calls that are enqueued one behind the other, the
// median of several; payload bytes per second. Exits 1 if a byte differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <phalanx/chunked.hpp>
#include <phalanx/device_aead.hpp>
#include <phalanx/phalanx.hpp>
#include <string>
#include <vector>

#include "gpu_figures.hpp"
#include "gpu_memory.hpp"

namespace phalanx {
namespace {

constexpr std::size_t tag_bytes = 16, associated_bytes = 13;

// The text on both sides.
struct Texts {
  ByteVector plain, sealed, got;
  DeviceMemory in, out;

  explicit Texts(std::size_t size) : plain(random_bytes(size, 0x5a)), sealed(size), got(size), in(size), out(size) {}
};

// Pages of one size, one behind the other.
class Pages {
 public:
  // key_bytes: of each page's own key; 0: they have none.
  Pages(Texts& texts, std::size_t page_bytes, std::size_t key_bytes, std::size_t nonce_bytes)
      : texts_(texts),
        page_bytes_(page_bytes),
        key_bytes_(key_bytes),
        nonce_bytes_(nonce_bytes),
        count_(texts.plain.size() / page_bytes),
        key_values_(random_bytes(count_ * key_bytes + 1, 3)),
        nonce_values_(random_bytes(count_ * nonce_bytes, 1)),
        associated_values_(random_bytes(count_ * associated_bytes, 2)),
        tag_values_(count_ * tag_bytes),
        offsets_((count_ + 1) * 8),
        associated_offsets_((count_ + 1) * 8),
        nonces_(nonce_values_.size()),
        associated_(associated_values_.size()),
        keys_(key_values_.size()),
        tags_(tag_values_.size()) {
    std::vector<std::uint64_t> numbers(count_ + 1);
    for (std::size_t i = 0; i <= count_; ++i) numbers[i] = i * page_bytes;
    offsets_.set(numbers.data());
    for (std::size_t i = 0; i <= count_; ++i) numbers[i] = i * associated_bytes;
    associated_offsets_.set(numbers.data());
    keys_.set(key_values_.data());
    nonces_.set(nonce_values_.data());
    associated_.set(associated_values_.data());
  }

  // Sealed on the CPU, which leaves the ciphertext and the tags to compare with.
  void seal_on_cpu(const Aead& cpu) {
    std::vector<MessageToSeal> messages(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      messages[i] = {.nonce = Bytes(nonce_values_).subspan(i * nonce_bytes_, nonce_bytes_),
                     .associated_data = Bytes(associated_values_).subspan(i * associated_bytes, associated_bytes),
                     .in = Bytes(texts_.plain).subspan(i * page_bytes_, page_bytes_),
                     .out = MutableBytes(texts_.sealed).subspan(i * page_bytes_, page_bytes_),
                     .tag = MutableBytes(tag_values_).subspan(i * tag_bytes, tag_bytes),
                     .key = Bytes(key_values_).subspan(i * key_bytes_, key_bytes_)};
    }
    cpu.seal_batch(messages);
  }

  // Whether one call gives what it should. The data are in place for more calls of the same direction afterwards.
  bool is_right(const DeviceAead& gpu, bool seals) {
    texts_.in.set(seals ? texts_.plain.data() : texts_.sealed.data());
    texts_.out.poison();
    if (seals) {
      tags_.poison();
      gpu.seal_batch(batch());
    } else {
      tags_.set(tag_values_.data());
      gpu.open_batch(batch());
    }
    texts_.out.get(texts_.got);
    ByteVector tags(tag_values_.size());
    tags_.get(tags);
    return texts_.got == (seals ? texts_.sealed : texts_.plain) && tags == tag_values_;
  }
  [[nodiscard]] DeviceVerdicts run(const DeviceAead& gpu, bool seals) const {
    return seals ? gpu.seal_batch_async(batch()) : gpu.open_batch_async(batch());
  }

 private:
  [[nodiscard]] DeviceBatch batch() const {
    DeviceBatch batch;
    batch.num_messages = count_;
    batch.in = texts_.in.data;
    batch.out = texts_.out.data;
    batch.in_bytes = batch.out_bytes = count_ * page_bytes_;
    batch.in_offsets = offsets_.data;
    batch.associated_data = associated_.data;
    batch.associated_bytes = associated_.num_bytes;
    batch.associated_offsets = associated_offsets_.data;
    batch.nonces = nonces_.data;
    batch.tags = tags_.data;
    if (key_bytes_ != 0) batch.keys = keys_.data;
    return batch;
  }

  Texts& texts_;
  std::size_t page_bytes_, key_bytes_, nonce_bytes_, count_;
  ByteVector key_values_, nonce_values_, associated_values_, tag_values_;
  DeviceMemory offsets_, associated_offsets_, nonces_, associated_, keys_, tags_;
};

bool measure(const std::string& name, bool own_keys, Texts& texts, std::size_t page_bytes, GpuFigures& figures) {
  const ByteVector key = random_bytes(cipher_facts(name).key_bytes, 7);
  const DeviceAead gpu(name, key);
  Pages pages(texts, page_bytes, own_keys ? key.size() : 0, gpu.facts().iv_bytes);
  pages.seal_on_cpu(Aead(name, key));
  bool right = true;
  for (const bool seals : {true, false}) {
    const bool is_right = pages.is_right(gpu, seals);
    const double seconds = median_seconds([&] { return pages.run(gpu, seals); });
    const double speed = static_cast<double>(texts.plain.size()) / seconds / 1e9;
    std::printf("%-16s %s pages of %7zu bytes, %s %7.1f GB/s  %s\n", name.c_str(), seals ? "seal" : "open", page_bytes,
                own_keys ? "a key each" : "one key", speed, is_right ? "right" : "WRONG");
    std::fflush(stdout);
    figures.add({{"cipher", name},
                 {"direction", seals ? "seal" : "open"},
                 {"bytes", texts.plain.size()},
                 {"page_bytes", page_bytes},
                 {"a_key_each", own_keys},
                 {"gigabytes_per_second", speed},
                 {"right", is_right}});
    right &= is_right;
  }
  return right;
}

// A message of chunked encryption.
class Message {
 public:
  Message(const std::string& name, const ByteVector& plain, std::size_t size, std::size_t shift)
      : gpu_(name, random_bytes(key_bytes_of(name), 7)),
        cpu_(name, random_bytes(key_bytes_of(name), 7)),
        plain_(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(size)),
        sealed_(ChunkedAead::sealed_bytes(size)),
        text_(size),
        memory_(sealed_.size() + shift),
        message_(memory_.data + shift) {
    cpu_.seal(plain_, sealed_);
  }

  // Whether one call gives what it should. What it reads is in place for more calls of the same direction.
  bool is_right(bool seals) {
    ByteVector got(plain_.size());
    if (seals) {
      text_.set(plain_.data());
      memory_.poison();
      gpu_.seal(text_.data, plain_.size(), message_);
      ByteVector sealed(sealed_.size());
      check(cudaMemcpy(sealed.data(), message_, sealed.size(), cudaMemcpyDeviceToHost), "copy");
      cpu_.open(sealed, got);
    } else {
      text_.poison();
      check(cudaMemcpy(message_, sealed_.data(), sealed_.size(), cudaMemcpyHostToDevice), "copy");
      gpu_.open(message_, sealed_.size(), text_.data);
      text_.get(got);
    }
    return got == plain_;
  }
  [[nodiscard]] DeviceVerdicts enqueue(bool seals) const {
    return seals ? gpu_.seal_async(text_.data, plain_.size(), message_)
                 : gpu_.open_async(Bytes(sealed_).first(56), message_, sealed_.size(), text_.data);
  }
  // The median of calls that wait.
  [[nodiscard]] double waiting_seconds(bool seals) const {
    std::vector<double> seconds(9);
    for (double& of_call : seconds) {
      const auto begin = std::chrono::steady_clock::now();
      seals ? gpu_.seal(text_.data, plain_.size(), message_) : gpu_.open(message_, sealed_.size(), text_.data);
      of_call = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
    return seconds[4];
  }

 private:
  static std::size_t key_bytes_of(const std::string& name) { return name == "cobblestone-128" ? 16 : 32; }

  DeviceChunkedAead gpu_;
  ChunkedAead cpu_;
  ByteVector plain_, sealed_;
  DeviceMemory text_, memory_;
  std::uint8_t* message_;
};

bool measure_chunked(const std::string& name, const ByteVector& plain, std::size_t size, std::size_t shift,
                     GpuFigures& figures) {
  Message message(name, plain, size, shift);
  bool right = true;
  for (const bool seals : {true, false}) {
    const bool is_right = message.is_right(seals);
    const double enqueued = static_cast<double>(size) / median_seconds([&] { return message.enqueue(seals); }) / 1e9;
    const double waiting = static_cast<double>(size) / message.waiting_seconds(seals) / 1e9;
    std::printf("%-16s %s a message of %10zu bytes at %zu, %7.1f GB/s, waiting %7.1f  %s\n", name.c_str(),
                seals ? "seal" : "open", size, shift, enqueued, waiting, is_right ? "right" : "WRONG");
    std::fflush(stdout);
    figures.add({{"cipher", name},
                 {"direction", seals ? "seal" : "open"},
                 {"bytes", size},
                 {"message_at", shift},
                 {"gigabytes_per_second", enqueued},
                 {"gigabytes_per_second_of_waiting_calls", waiting},
                 {"right", is_right}});
    right &= is_right;
  }
  return right;
}

bool is_chunked(const std::string& name) { return !name.ends_with("-gcm"); }

int run(int num_arguments, char** arguments) {
  GpuFigures figures("aead");
  figures.take_option(num_arguments, arguments);
  const std::size_t num_bytes =
      num_arguments > 1 ? std::strtoull(arguments[1], nullptr, 0) >> 20 << 20 : std::size_t{1} << 30;
  std::vector<std::string> names(arguments + std::min(num_arguments, 2), arguments + num_arguments);
  if (names.empty()) {
    names = {"aes-128-gcm",     "aes-256-gcm",     "serpent-256-gcm", "twofish-256-gcm", "xaes-256-gcm",
             "cobblestone-128", "cobblestone-256", "serpent-256",     "twofish-256"};
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "device");
  std::printf("%s, %d multiprocessors; %zu bytes\n", properties.name, properties.multiProcessorCount, num_bytes);
  Texts texts(num_bytes);
  bool right = true;
  for (const std::string& name : names) {
    if (is_chunked(name)) {
      for (const std::size_t size : {num_bytes, num_bytes / 64}) {
        for (const std::size_t shift : {0, 8}) right &= measure_chunked(name, texts.plain, size, shift, figures);
      }
      continue;
    }
    for (const bool own_keys : {false, true}) {
      if (own_keys && name != "aes-256-gcm") continue;
      for (const unsigned shift : {20, 16, 13, 10}) {
        right &= measure(name, own_keys, texts, std::size_t{1} << shift, figures);
      }
    }
  }
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) { return phalanx::run(num_arguments, arguments); }

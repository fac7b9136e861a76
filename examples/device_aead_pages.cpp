// A thousand pages of 4 KiB are sealed and opened in a GPU's memory, in AES-256-GCM. One is damaged in between, and its
// verdict says so. Without a GPU the program says that and ends.
//
// Limits: a message has at most 64 GiB, less 32 bytes. A nonce may come once under a key. While a call opens, nothing else may
// write to the ciphertext. The GPU has compute capability 7.5 or later.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <phalanx/catalog.hpp>
#include <phalanx/device_aead.hpp>
#include <phalanx/secret.hpp>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t num_pages = 1000, page_bytes = 4096, nonce_bytes = 12, tag_bytes = 16, damaged_page = 500;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// A stream of CUDA, which finishes its work when it is destroyed.
struct Stream {
  cudaStream_t handle = nullptr;

  Stream() { check(cudaStreamCreate(&handle)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { (void)cudaStreamDestroy(handle); }
};

// Memory of the GPU.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t num_bytes) { check(cudaMalloc(&memory_, num_bytes)); }
  template <class Number>
  DeviceArray(const std::vector<Number>& numbers, const Stream& stream) : DeviceArray(numbers.size() * sizeof(Number)) {
    check(cudaMemcpyAsync(memory_, numbers.data(), numbers.size() * sizeof(Number), cudaMemcpyHostToDevice, stream.handle));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { (void)cudaFree(memory_); }

  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(memory_); }

 private:
  void* memory_ = nullptr;
};

// Page i lies at offsets[i] and ends where page i + 1 begins: one number more than there are pages.
std::vector<std::uint64_t> page_offsets() {
  std::vector<std::uint64_t> offsets(num_pages + 1);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = i * page_bytes;
  return offsets;
}

// The nonce of a page is its number, and the key is new: no nonce comes twice under it. A page in another's place is forged.
std::vector<std::uint8_t> page_nonces() {
  std::vector<std::uint8_t> nonces(num_pages * nonce_bytes);
  for (std::uint64_t i = 0; i < num_pages; ++i) {
    for (std::size_t byte = 0; byte < 8; ++byte) nonces[i * nonce_bytes + byte] = static_cast<std::uint8_t>(i >> 8 * byte);
  }
  return nonces;
}

// Seals the pages of `plain` on the GPU, damages one there, and opens them into `opened`. Returns a verdict for each page.
std::vector<phalanx::DeviceVerdict> seal_and_open(phalanx::Bytes key, const std::vector<std::uint8_t>& plain,
                                                  std::vector<std::uint8_t>& opened) {
  // The arrays and the stream must outlive the work on them. They are declared first, so that they are destroyed last.
  const std::vector<std::uint64_t> offsets = page_offsets();
  const std::vector<std::uint8_t> nonces = page_nonces();
  const Stream stream;
  const DeviceArray pages(plain, stream), device_offsets(offsets, stream), device_nonces(nonces, stream);
  const DeviceArray sealed(plain.size()), tags(num_pages * tag_bytes);

  const phalanx::DeviceAead aead("aes-256-gcm", key);  // copies the key; immutable, shared by threads
  phalanx::DeviceBatch batch;                          // a call reads this struct before it returns
  batch.num_messages = num_pages;
  batch.in = pages.data();
  batch.out = sealed.data();  // disjoint from `in`, or the same
  batch.in_bytes = batch.out_bytes = plain.size();
  batch.in_offsets = device_offsets.data();  // numbers of 8 bytes, aligned to 8; they serve `out` too
  batch.nonces = device_nonces.data();       // 12 bytes each
  batch.tags = tags.data();                  // 16 bytes each
  aead.seal_batch(batch, stream.handle);     // runs behind the copies, waits, and throws if an offset does not fit

  // The damage: 16 bytes of a ciphertext become zeros.
  check(cudaMemsetAsync(sealed.data() + damaged_page * page_bytes, 0, 16, stream.handle));

  batch.in = sealed.data();
  batch.out = pages.data();
  const phalanx::DeviceVerdicts verdicts = aead.open_batch_async(batch, stream.handle);  // open_batch waits, and throws
  check(cudaMemcpyAsync(opened.data(), pages.data(), opened.size(), cudaMemcpyDeviceToHost, stream.handle));
  check(cudaStreamSynchronize(stream.handle));  // `opened` is there; an error of the GPU shows here
  return verdicts.read();                       // waits for the call's work, too
}

// All pages but the damaged one are authentic and as they were. The damaged one is zeros: none of its plaintext came out.
int run() {
  const phalanx::Secret key = phalanx::random_secret(32);
  std::vector<std::uint8_t> plain(num_pages * page_bytes), opened(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = static_cast<std::uint8_t>(1 + i % 251);

  const std::vector<phalanx::DeviceVerdict> verdicts = seal_and_open(key, plain, opened);
  const auto num_authentic = std::ranges::count(verdicts, phalanx::DeviceVerdict::authentic);
  std::printf("aes-256-gcm on a GPU: %td of %zu pages are authentic\n", num_authentic, verdicts.size());
  if (num_authentic != num_pages - 1 || verdicts[damaged_page] != phalanx::DeviceVerdict::forged) return 1;
  const auto forged = plain.begin() + damaged_page * page_bytes;
  std::fill(forged, forged + page_bytes, std::uint8_t{0});
  return opened == plain ? 0 : 1;
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

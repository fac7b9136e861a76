// Batches on a GPU, in device memory: many messages, each under a key of its own, encrypted in place in a mode that is
// serial within a message.
//
//   gpu_batch_benchmark [--json FILE] [--kernel tables|sliced] [--one-key] [--data FILE] [--once]
//                       [CIPHER-MODE [NUM_MESSAGES [MESSAGE_BYTES]]]                 des-ede3-cbc, 2^20, 16384
//
// --kernel: that one of DES's two for batches, where the number of messages would choose. --one-key: one for all messages.
// --data: what the messages hold, again and again; else they are random, as keys are. --once: only the run that is compared,
// for a profiler. A sample of the messages is compared with the CPU engine's; timed by events, the median; payload bytes per
// second, the expanding of the keys included. Exits 1 if a byte differs.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "engine/engines/cuda/gpu_kernels.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "gpu_figures.hpp"

namespace phalanx {
namespace {

constexpr int num_runs = 5;
constexpr std::size_t sample_step = 997;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_batch_benchmark: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

std::uint8_t* allocate(std::size_t num_bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, num_bytes), "device memory");
  return static_cast<std::uint8_t*>(memory);
}

std::vector<std::uint8_t> random_bytes(std::size_t num_bytes, std::uint8_t seed) {
  std::vector<std::uint8_t> bytes(num_bytes);
  const std::vector<std::uint8_t> key(16, seed);
  std::uint8_t counter[16] = {};
  find_engine("cpu")
      .set_key(*find_cipher("aes-128"), key, 0)
      ->crypt_range(Mode::ctr, Direction::encrypt, counter, bytes.data(), bytes.data(), num_bytes / 16);
  return bytes;
}

std::vector<std::uint8_t> read_file(const char* name) {
  std::ifstream file(name, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!bytes.empty()) return bytes;
  std::fprintf(stderr, "gpu_batch_benchmark: nothing to read in %s\n", name);
  std::exit(1);
}

struct Job {
  const char* name = "des-ede3-cbc";
  std::size_t num_messages = std::size_t{1} << 20;
  std::size_t message_bytes = 16384;
  const char* kernel = "by number";
  const char* data = nullptr;
  bool one_key = false;
  bool once = false;
};

// The messages and what goes with them, in device memory.
struct Messages {
  const CipherSpec& cipher;
  const GpuKernel& kernel;
  bool one_key;
  std::size_t num_messages;
  std::size_t message_bytes;
  std::size_t key_bytes = kernel_key_bytes(cipher);
  std::vector<std::uint8_t> pattern;  // message i begins with it turned by i blocks
  std::vector<std::uint8_t> keys;
  std::vector<std::uint8_t> ivs;
  std::uint8_t* data;
  GpuBatch batch{};

  Messages(const CipherSpec& spec, const GpuKernel& by, const Job& job)
      : cipher(spec),
        kernel(by),
        one_key(job.one_key),
        num_messages(job.num_messages),
        message_bytes(job.message_bytes),
        pattern(job.data != nullptr ? read_file(job.data) : random_bytes(std::size_t{64} << 20, 1)),
        keys(random_bytes(num_messages * key_bytes, 2)),
        ivs(random_bytes(num_messages * 16, 3)),
        data(allocate(num_messages * message_bytes)) {
    std::vector<GpuMessage> messages(num_messages);
    for (std::size_t i = 0; i < num_messages; ++i)
      messages[i] = {data + i * message_bytes, data + i * message_bytes, message_bytes / spec.block_bytes};
    std::uint8_t* device_messages = allocate(num_messages * sizeof(GpuMessage));
    check(cudaMemcpy(device_messages, messages.data(), num_messages * sizeof(GpuMessage), cudaMemcpyHostToDevice), "copy");
    std::uint8_t* device_keys = allocate(keys.size());
    check(cudaMemcpy(device_keys, keys.data(), keys.size(), cudaMemcpyHostToDevice), "copy");
    batch = {reinterpret_cast<const GpuMessage*>(device_messages),
             allocate(ivs.size()),
             one_key ? nullptr : device_keys,
             key_bytes,
             num_messages,
             allocate(kernel.batch_scratch_bytes(num_messages, one_key ? 0 : num_messages, key_bytes) + 16)};
    if (one_key) put_key_in_place();
    for (std::size_t at = 0; at < num_messages * message_bytes; at += pattern.size()) {
      check(cudaMemcpy(data + at, pattern.data(), std::min(pattern.size(), num_messages * message_bytes - at),
                       cudaMemcpyHostToDevice),
            "copy");
    }
    set_ivs();
  }
  void set_ivs() const { check(cudaMemcpy(batch.ivs, ivs.data(), ivs.size(), cudaMemcpyHostToDevice), "copy"); }

  void put_key_in_place() const {
    std::vector<std::uint8_t> memory(kernel.schedule_bytes + 64);
    void* schedule = memory.data();
    std::size_t space = memory.size();
    std::align(64, kernel.schedule_bytes, schedule, space);
    expand_gpu_key(cipher, key_of(0), schedule);
    void* place = nullptr;
    check(kernel.key_address(&place), "key");
    check(cudaMemcpy(place, schedule, kernel.schedule_bytes, cudaMemcpyHostToDevice), "copy");
  }
  [[nodiscard]] Bytes key_of(std::size_t i) const { return {keys.data() + (one_key ? 0 : i * key_bytes), cipher.key_bytes}; }

  // After one run: how many of the sampled messages differ from the CPU's.
  [[nodiscard]] std::size_t count_wrong(Mode mode) const {
    std::size_t wrong = 0;
    std::vector<std::uint8_t> got(message_bytes);
    std::vector<std::uint8_t> expected(message_bytes);
    for (std::size_t i = 0; i < num_messages; i += sample_step) {
      check(cudaMemcpy(got.data(), data + i * message_bytes, message_bytes, cudaMemcpyDeviceToHost), "copy");
      for (std::size_t j = 0; j < message_bytes; ++j) expected[j] = pattern[(i * message_bytes + j) % pattern.size()];
      std::uint8_t iv[16];
      std::memcpy(iv, ivs.data() + 16 * i, 16);
      find_engine("cpu")
          .set_key(cipher, key_of(i), 1)
          ->crypt_range(mode, Direction::encrypt, iv, expected.data(), expected.data(), message_bytes / cipher.block_bytes);
      wrong += got == expected ? 0 : 1;
    }
    return wrong;
  }
};

double median_seconds(const Messages& messages, GpuBatchFunction function) {
  cudaEvent_t start;
  cudaEvent_t stop;
  check(cudaEventCreate(&start), "event");
  check(cudaEventCreate(&stop), "event");
  std::vector<float> milliseconds(num_runs);
  for (float& time : milliseconds) {
    check(cudaEventRecord(start), "event");
    check(function(messages.batch, nullptr), "launch");
    check(cudaEventRecord(stop), "event");
    check(cudaEventSynchronize(stop), "kernel");
    check(cudaEventElapsedTime(&time, start, stop), "event");
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + num_runs / 2, milliseconds.end());
  return milliseconds[num_runs / 2] / 1e3;
}

Job read_job(int num_arguments, char** arguments) {
  Job job;
  int next = 1;
  const auto takes = [&](const char* option) {
    const bool is_next = next < num_arguments && std::strcmp(arguments[next], option) == 0;
    next += is_next ? 1 : 0;
    return is_next;
  };
  if (takes("--kernel") && next < num_arguments) job.kernel = arguments[next++];
  job.one_key = takes("--one-key");
  if (takes("--data") && next < num_arguments) job.data = arguments[next++];
  job.once = takes("--once");
  if (next < num_arguments) job.name = arguments[next++];
  if (next < num_arguments) job.num_messages = std::strtoull(arguments[next++], nullptr, 0);
  if (next < num_arguments) job.message_bytes = std::strtoull(arguments[next++], nullptr, 0);
  return job;
}

const GpuKernel& kernel_of(const Job& job, const CipherSpec& cipher) {
  if (std::strcmp(job.kernel, "tables") == 0) return des_tables_gpu_kernel;
  if (std::strcmp(job.kernel, "sliced") == 0) return des_sliced_gpu_kernel;
  return gpu_kernel_of(cipher);
}

int run(const Job& job, GpuFigures& figures) {
  const NamedCipher named = parse_cipher_name(job.name);
  const GpuKernel& kernel = kernel_of(job, *named.cipher);
  const GpuBatchFunction function = kernel.batch[static_cast<unsigned>(named.mode)][0];
  const Messages messages(*named.cipher, kernel, job);
  check(function(messages.batch, nullptr), "launch");
  check(cudaDeviceSynchronize(), "kernel");
  const std::size_t wrong = messages.count_wrong(named.mode);
  if (job.once) return wrong == 0 ? 0 : 1;
  const double seconds = median_seconds(messages, function);
  const double speed = static_cast<double>(job.num_messages * job.message_bytes) / seconds / 1e9;
  std::printf("%-16s %8zu messages of %6zu bytes, %s, in place: %7.1f GB/s  %s %s\n", job.name, job.num_messages,
              job.message_bytes, job.one_key ? "one key" : "a key each", speed, wrong == 0 ? "right" : "WRONG", job.kernel);
  figures.add({{"cipher", job.name},
               {"direction", "encrypt"},
               {"messages", job.num_messages},
               {"message_bytes", job.message_bytes},
               {"a_key_each", !job.one_key},
               {"kernel", job.kernel},
               {"gigabytes_per_second", speed},
               {"right", wrong == 0}});
  figures.write();
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) {
  phalanx::GpuFigures figures("kernel, a batch");
  figures.take_option(num_arguments, arguments);
  return phalanx::run(phalanx::read_job(num_arguments, arguments), figures);
}

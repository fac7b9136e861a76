// What batches and sectors of DeviceCipher do that are in device memory, every byte of a run compared with the CPU engine's.
//
//   gpu_device_cipher_benchmark [--json FILE] [BYTES]     1 GiB of data
//
// Random data, from one arena into another, in messages of one size, one behind the other; each with its iv, and under one
// key or a key each. The output is poisoned before it is checked; timed by events round whole calls that are enqueued one
// behind the other, the median of several; payload bytes per second. Exits 1 if a byte differs.
#include <cstdio>
#include <string>

#include "gpu_figures.hpp"
#include "gpu_memory.hpp"

namespace phalanx {
namespace {

struct Texts {
  ByteVector text, expected, got;
  DeviceMemory in, out;

  explicit Texts(std::size_t size) : text(random_bytes(size, 0x5a)), expected(size), got(size), in(size), out(size) {
    in.set(text.data());
  }
  template <class Call>
  bool is_right(Call call) {
    out.poison();
    call();
    check(cudaDeviceSynchronize(), "kernels");
    out.get(got);
    return got == expected;
  }
};

struct Job {
  const char* name;
  bool encrypts;
  std::size_t message_bytes;
  bool own_keys;
  bool sectors = false;
};

const CipherPolicy allow{.allow_legacy = true};

class Messages {
 public:
  Messages(const Job& job, Texts& texts)
      : job_(job),
        texts_(texts),
        facts_(cipher_facts(job.name)),
        count_(texts.text.size() / job.message_bytes),
        key_(random_bytes(facts_.key_bytes, 7)),
        key_values_(random_bytes(job.own_keys ? count_ * facts_.key_bytes : 16, 3)),
        iv_values_(random_bytes(count_ * facts_.iv_bytes + 16, 1)),
        gpu_(job.name, key_, {}, allow),
        keys_(key_values_.size()),
        ivs_(iv_values_.size()),
        offsets_((count_ + 1) * 8) {
    std::vector<std::uint64_t> numbers(count_ + 1);
    for (std::size_t i = 0; i <= count_; ++i) numbers[i] = i * job.message_bytes;
    offsets_.set(numbers.data());
    keys_.set(key_values_.data());
    ivs_.set(iv_values_.data());
  }

  void crypt_on_cpu() {
    if (job_.sectors) {
      const SectorCipher cpu(job_.name, key_);
      const auto crypt = job_.encrypts ? &SectorCipher::encrypt : &SectorCipher::decrypt;
      return (cpu.*crypt)(3, 1, job_.message_bytes, texts_.text, texts_.expected);
    }
    std::vector<Message> messages(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      messages[i] = {Bytes(iv_values_).subspan(i * facts_.iv_bytes, facts_.iv_bytes),
                     Bytes(texts_.text).subspan(i * job_.message_bytes, job_.message_bytes),
                     MutableBytes(texts_.expected).subspan(i * job_.message_bytes, job_.message_bytes),
                     job_.own_keys ? Bytes(key_values_).subspan(i * facts_.key_bytes, facts_.key_bytes) : Bytes()};
    }
    const Cipher cpu(job_.name, key_, {}, allow);
    job_.encrypts ? cpu.encrypt_batch(messages) : cpu.decrypt_batch(messages);
  }

  // An empty list where the call leaves nothing.
  std::vector<DeviceVerdicts> run() const {
    std::vector<DeviceVerdicts> verdicts;
    if (job_.sectors) {
      DeviceSectors sectors{texts_.in.data, texts_.out.data, texts_.in.num_bytes, job_.message_bytes, 3};
      job_.encrypts ? gpu_.encrypt_sectors(sectors) : gpu_.decrypt_sectors(sectors);
      return verdicts;
    }
    DeviceBatch batch;
    batch.num_messages = count_;
    batch.in = texts_.in.data;
    batch.out = texts_.out.data;
    batch.in_bytes = batch.out_bytes = texts_.in.num_bytes;
    batch.in_offsets = offsets_.data;
    batch.nonces = ivs_.data;
    if (job_.own_keys) batch.keys = keys_.data;
    verdicts.push_back(job_.encrypts ? gpu_.encrypt_batch_async(batch) : gpu_.decrypt_batch_async(batch));
    return verdicts;
  }

 private:
  const Job& job_;
  Texts& texts_;
  const CipherFacts& facts_;
  std::size_t count_;
  ByteVector key_, key_values_, iv_values_;
  DeviceCipher gpu_;
  DeviceMemory keys_, ivs_, offsets_;
};

bool measure(const Job& job, Texts& texts, GpuFigures& figures) {
  Messages messages(job, texts);
  messages.crypt_on_cpu();
  const bool is_right = texts.is_right([&] { return messages.run(); });
  const double seconds = median_seconds([&] { return messages.run(); });
  const double speed = static_cast<double>(texts.text.size()) / seconds / 1e9;
  std::printf("%-16s %s %s of %7zu bytes, %s %7.1f GB/s  %s\n", job.name, job.encrypts ? "encrypt" : "decrypt",
              job.sectors ? "sectors" : "messages", job.message_bytes, job.own_keys ? "a key each" : "one key", speed,
              is_right ? "right" : "WRONG");
  std::fflush(stdout);
  figures.add({{"cipher", job.name},
               {"direction", job.encrypts ? "encrypt" : "decrypt"},
               {"bytes", texts.text.size()},
               {"message_bytes", job.message_bytes},
               {"sectors", job.sectors},
               {"a_key_each", job.own_keys},
               {"gigabytes_per_second", speed},
               {"right", is_right}});
  return is_right;
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("device cipher");
  figures.take_option(num_arguments, arguments);
  const std::size_t num_bytes =
      num_arguments > 1 ? std::strtoull(arguments[1], nullptr, 0) >> 20 << 20 : std::size_t{1} << 30;
  const Job jobs[] = {{"aes-256-ctr", true, 1 << 20, false},
                      {"aes-256-ctr", true, 1 << 16, false},
                      {"aes-256-ctr", true, 1 << 10, false},
                      {"aes-256-ctr", true, 1 << 16, true},
                      {"aes-256-cbc", true, 1 << 14, false},
                      {"aes-256-cbc", true, 1 << 14, true},
                      {"aes-256-cbc", false, 1 << 16, false},
                      {"aes-256-xts", true, 512, false, true},
                      {"aes-256-xts", true, 4096, false, true},
                      {"aes-256-xts", false, 4096, false, true},
                      {"aes-256-xts", true, 4096, true},
                      {"serpent-256-xts", true, 4096, false, true},
                      {"twofish-256-xts", true, 4096, false, true},
                      {"des-ede3-cbc", false, 1 << 16, false},
                      {"des-ede3-cbc", false, 1 << 10, false},
                      {"des-ede3-cbc", false, 1 << 14, true}};
  Texts texts(num_bytes);
  bool right = true;
  for (const Job& job : jobs) right &= measure(job, texts, figures);
  figures.write();
  return right ? 0 : 1;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) { return phalanx::run(num_arguments, arguments); }
